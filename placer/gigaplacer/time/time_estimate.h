#pragma once

#include <cstdint>

#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Work of a kernel, and so the share of the wafer that it deserves: Σ over its convolutions of
/// H·W·C·K·R·S/(T·U), in units of 1/(256·denominator), exact. Gives GigaPlacer Eq. 3: HWCKRS/T²
/// for a convolution, 29/64·HWF² for a cblock, 17/16·HWF² for a dblock. A list of shapes does about
/// as much as a convolution of its area and time, a third of their product. Positive.
/// `denominator` is a multiple of time_denominator(kernel).
Int128 area_weight(const Kernel& kernel, std::int64_t denominator);

/// A search range of compute times, in units of 1/Problem::time_denominator(), 1 ≤ least ≤ most.
struct TimeInterval {
  std::int64_t least = 1;
  std::int64_t most = 1;
  bool operator==(const TimeInterval&) const = default;
};

/// Compute time that an even sharing of the wafer would give (GigaPlacer 3.1): the kernel of most
/// work gets area in proportion to it, and the estimate is the least time with which one of its
/// shapes on the wafer has at most that area. The largest possible time if no shape is that small.
/// O(log time) shape fronts.
std::int64_t estimated_time(const ShapeLibrary& library);

/// From a tenth of the estimate to ten times it, within [1, slowest_time(problem)]. Only a start:
/// the binary search widens it where the answer lies outside (least_achievable_time).
TimeInterval initial_interval(const ShapeLibrary& library);

}  // namespace waferloom::placer
