#pragma once

#include <cstdint>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/shapes/clear_space.h"

namespace waferloom::placer {

/// The problem without what binds its kernels beside the wafer's edge: on the largest rectangle
/// without dead tiles where that is most of the wafer, otherwise on the whole wafer as if nothing
/// were dead. Preferred regions stay.
struct Relaxation {
  Problem problem;
  std::int64_t x = 0;  ///< where its wafer lies on the real one
  std::int64_t y = 0;
  bool in_window = false;  ///< a smaller wafer: its placements cover no dead tile
};
Relaxation relax(const Problem& problem, const ClearSpace& space);

/// A placement of the relaxation on the real wafer. It may break constraints.
Placement on_wafer(const Relaxation& relaxation, Placement placement);

}  // namespace waferloom::placer
