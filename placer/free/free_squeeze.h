#pragma once

#include <functional>
#include <optional>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Lowers the time cap of a placement step by step: at each lower cap kernels grow and overlap, and
/// are moved until they part, those first that overlap most stubbornly (guided local search: the
/// weight of a pair rises as long as it overlaps; Voudouris and Tsang 1999, for packing Egeblad et
/// al. 2007). Steps grow while that works and shrink where it does not. Constraints are kept
/// throughout. Calls `found` for each legal placement met, at falling caps. A tile of wire of
/// weight one counts `wire_weight` times as much as a tile of overlap, ≥ 0: the less the lower the
/// caps.
///
/// `start` has executions within limits; it may overlap or break constraints, and is made legal
/// first, at a higher cap if need be.
void squeeze_free(const ShapeLibrary& library, const ClearSpace& space, const Placement& start,
                  double wire_weight, const AnnealBudget& budget, RandomStream& random,
                  const std::function<void(const Placement&)>& found);

}  // namespace waferloom::placer
