#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "model/problem.h"
#include "model/rectangle.h"

namespace waferloom {

struct Hardware;

/// Where and how one kernel lies. rotated is R90, which exchanges the extents.
struct PlacedKernel {
  Execution execution;
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool rotated = false;
  bool operator==(const PlacedKernel&) const = default;
};

/// A placement: one entry a kernel of the problem, in the problem's order. A value.
struct Placement {
  std::vector<PlacedKernel> kernels;
  bool operator==(const Placement&) const = default;
};

/// A placement in which kernels may be missing, in the problem's order.
struct PartialPlacement {
  std::vector<std::optional<PlacedKernel>> kernels;
  bool operator==(const PartialPlacement&) const = default;
};

/// The tiles that a placed kernel covers; its execution must be within_limits.
Rectangle rectangle(const Kernel& kernel, const PlacedKernel& placed);

/// Those of all kernels of the problem, in its order.
std::vector<Rectangle> rectangles(const Problem& problem, const Placement& placement);

// On hardware of which not everything lives (living.h).

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
