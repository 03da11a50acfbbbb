#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/problem.h"
#include "model/rectangle.h"

// A problem on a machine of which not everything lives (living.h).
namespace waferloom {

/// Throws InfeasibleError as LivingCheck, unless all kernels of a placement, whose rectangles lie
/// on the hardware's mesh, live there, and each connection joins two of one part. O(tiles).
void demand_living(const Problem& problem, const std::vector<Rectangle>& tiles,
                   const Hardware& hardware);

/// The problem on the tiles of a hardware that are joined: its wafer has as dead ones, besides its
/// own, those of the hardware, and, if kernels are connected, those that are cut off from the
/// largest part, or from the first kernel that constraints fix. O(tiles) where something is dead.
/// Throws RequestError where that is more dead rectangles than a wafer may have.
Problem joined_problem(const Problem& problem, const Hardware& hardware);

}  // namespace waferloom
