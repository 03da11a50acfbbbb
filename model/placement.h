#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.h"
#include "model/problem.h"
#include "model/rectangle.h"

namespace waferloom {

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

}  // namespace waferloom
