#pragma once

#include <optional>

#include "placer/clear_space.h"
#include "placer/incumbent.h"
#include "placer/place.h"

namespace waferloom {

/// The problem without what binds its kernels beside the wafer's edge: on the largest rectangle
/// without dead tiles where that is most of the wafer, otherwise on the whole wafer as if nothing
/// were dead. `x`, `y` is where its wafer lies on the real one.
struct Relaxation {
  Problem problem;
  std::int64_t x = 0;
  std::int64_t y = 0;
};
Relaxation relax(const Problem& problem);

/// What place() finds for the relaxation under `options`, on the real wafer. It may break
/// constraints.
std::optional<Candidate> place_relaxed(const Problem& problem, const PlaceOptions& options);

}  // namespace waferloom
