#pragma once

#include <cstdint>
#include <vector>

#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Range of time caps, both ends included.
struct TimeRange {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

/// Where the staircase Σ least areas drops most within a range: the least caps of the `count`
/// steps with the largest drops, ascending. Just above a step kernels are small for their time, so
/// that is where a placer wants to work. The range is scanned in a grid of kTimeGrid cells, each
/// step located exactly within its cell. Only caps at which all kernels have a shape.
std::vector<std::int64_t> time_steps(const ShapeLibrary& library, const TimeRange& range,
                                     std::size_t count);
inline constexpr std::int64_t kTimeGrid = 160;

}  // namespace waferloom::placer
