#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"
#include "model/problem.h"

namespace waferloom {

/// Farthest coordinate, either way, that sums of this library are made for; no reader lets more
/// pass. Far beyond any wafer, so that wrong files can be told from overflows.
inline constexpr std::int64_t kMaxCoordinate = 1'000'000'000'000;

/// Axis-parallel rectangle of whole tiles; (x, y) is its lower left corner.
struct Rectangle {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// Whether the two share at least one tile.
bool overlap(const Rectangle& a, const Rectangle& b);
/// The shared part; meaningful only if they overlap.
Rectangle intersection(const Rectangle& a, const Rectangle& b);

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

/// The tiles that a placed kernel covers; its execution must be within_limits.
Rectangle rectangle(const Kernel& kernel, const PlacedKernel& placed);

}  // namespace waferloom
