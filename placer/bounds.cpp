#include "placer/bounds.h"

#include <algorithm>

#include "kernels/kernel.h"
#include "model/score.h"

namespace waferloom {
namespace {

/// Σ edges (m_a + m_b)/2 in half tiles, m the least thin side: disjoint rectangles lie apart by at
/// least half the sum of their widths or of their heights.
std::int64_t least_half_distance(const ShapeLibrary& library, const ShapesAtTime& shapes) {
  const auto thin_side = [&](KernelIndex kernel) {
    return shapes.curves[library.type_of(kernel)].least_thin_side();
  };
  std::int64_t sum = 0;
  for (const Connection& connection : library.problem().connections()) {
    sum += thin_side(connection.producer) + thin_side(connection.consumer);
  }
  return sum;
}

/// Lower bound on wt·T + wl·distance(T) over T ≥ `least`, by interval bisection: on (low, high] a
/// cost is at least that of time low + 1 with the distance of cap high.
class TimeDistanceBound {
 public:
  TimeDistanceBound(const ShapeLibrary& library, const StopSignal& stop)
      : library_(library), stop_(stop), costs_(library.problem()) {}

  Int128 over(std::int64_t least) const {
    const std::int64_t most = std::max(least, slowest_time(library_.problem()));
    const Range whole{least, distance(least), most, distance(most)};
    const Int128 at_ends =
        std::min(cost(least, whole.low_distance), cost(most, whole.high_distance));
    return minimum(whole, at_ends);
  }

 private:
  struct Range {
    std::int64_t low, low_distance, high, high_distance;
  };

  std::int64_t distance(std::int64_t time) const {
    return least_half_distance(library_, library_.at(time));
  }
  Int128 cost(std::int64_t time, std::int64_t half_distance) const {
    return costs_.total(Score{time, half_distance, 0});
  }

  /// min(best, least cost at any time in (low, high]), or less once stopped.
  Int128 minimum(const Range& range, Int128 best) const {
    if (range.low >= range.high) return best;
    if (cost(range.low + 1, range.high_distance) >= best) return best;
    if (range.low_distance == range.high_distance || range.high - range.low == 1 ||
        stop_.raised()) {
      return std::min(best, cost(range.low + 1, range.high_distance));
    }
    const std::int64_t middle = range.low + (range.high - range.low) / 2;
    const std::int64_t middle_distance = distance(middle);
    best = minimum(Range{range.low, range.low_distance, middle, middle_distance}, best);
    return minimum(Range{middle, middle_distance, range.high, range.high_distance}, best);
  }

  const ShapeLibrary& library_;
  const StopSignal& stop_;
  CostModel costs_;
};

}  // namespace

std::int64_t slowest_time(const Problem& problem) {
  Int128 slowest = 1;
  for (const ProblemKernel& kernel : problem.kernels()) {
    slowest = std::max(slowest, sequential_time(kernel.kernel, problem.time_denominator()));
  }
  return static_cast<std::int64_t>(slowest);
}

std::optional<std::int64_t> area_bound(const ShapeLibrary& library, const StopSignal& stop) {
  const Wafer& wafer = library.problem().wafer();
  const auto fits = [&](std::int64_t time) {
    if (stop.raised()) return true;  // what has been ruled out by now is still a bound
    const std::optional<std::int64_t> area = library.least_area(time);
    return area && *area <= wafer.width * wafer.height;
  };
  const std::int64_t slowest = slowest_time(library.problem());
  if (!fits(slowest)) return std::nullopt;
  return least_time(1, slowest, fits);
}

std::optional<Bounds> lower_bounds(const ShapeLibrary& library, const StopSignal& stop) {
  const auto time = area_bound(library, stop);
  if (!time) return std::nullopt;
  return Bounds{*time, TimeDistanceBound(library, stop).over(*time)};
}

std::optional<Bounds> lower_bounds(const Problem& problem) {
  return lower_bounds(ShapeLibrary(problem), StopSignal{});
}

}  // namespace waferloom
