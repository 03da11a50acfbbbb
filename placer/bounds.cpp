#include "placer/bounds.h"

#include <algorithm>
#include <string>

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
  explicit TimeDistanceBound(const ShapeLibrary& library)
      : library_(library), costs_(library.problem()) {}

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

  /// min(best, least cost at any time in (low, high]).
  Int128 minimum(const Range& range, Int128 best) const {
    if (range.low >= range.high) return best;
    if (cost(range.low + 1, range.high_distance) >= best) return best;
    if (range.low_distance == range.high_distance || range.high - range.low == 1) {
      return std::min(best, cost(range.low + 1, range.high_distance));
    }
    const std::int64_t middle = range.low + (range.high - range.low) / 2;
    const std::int64_t middle_distance = distance(middle);
    best = minimum(Range{range.low, range.low_distance, middle, middle_distance}, best);
    return minimum(Range{middle, middle_distance, range.high, range.high_distance}, best);
  }

  const ShapeLibrary& library_;
  CostModel costs_;
};

std::string size_text(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

/// What a kernel that fits nowhere would need: its smallest shape on a larger wafer, or where
/// memory rules that out too, the words that it takes when cut finest.
std::string nearest_miss(const ShapeLibrary& library, const Kernel& kernel, std::int64_t slowest) {
  constexpr std::int64_t kLarger = 8;  // times the wafer
  const std::int64_t wide = std::min(kMaxWaferSide, kLarger * library.largest_side());
  const std::vector<Shape> larger = shape_front(kernel, library.limits(slowest), wide);
  const auto area = [](const Shape& shape) { return shape.size.width * shape.size.height; };
  if (!larger.empty()) {
    const Shape& least =
        *std::min_element(larger.begin(), larger.end(),
                          [&](const Shape& a, const Shape& b) { return area(a) < area(b); });
    return "its smallest shape within the memory is " +
           size_text(least.size.width, least.size.height);
  }
  Execution finest;
  finest.h = kernel.height;
  finest.w = kernel.width;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    finest.c[i] = kernel.convolutions[i].in4 / 4;
    finest.k[i] = kernel.convolutions[i].out4 / 4;
  }
  if (!within_limits(kernel, finest)) {
    return "it has fewer features than its convolutions split";
  }
  const Extent size = extent(kernel, finest);
  return "even when cut finest a tile needs " + std::to_string(memory_words(kernel, finest)) +
         " words, on " + size_text(size.width, size.height) + " tiles";
}

}  // namespace

std::int64_t slowest_time(const Problem& problem) {
  Int128 slowest = 1;
  for (const ProblemKernel& kernel : problem.kernels()) {
    slowest = std::max(slowest, sequential_time(kernel.kernel, problem.time_denominator()));
  }
  return static_cast<std::int64_t>(slowest);
}

std::optional<std::int64_t> area_bound(const ShapeLibrary& library) {
  const Wafer& wafer = library.problem().wafer();
  const auto fits = [&](std::int64_t time) {
    const std::optional<std::int64_t> area = library.least_area(time);
    return area && *area <= wafer.width * wafer.height;
  };
  const std::int64_t slowest = slowest_time(library.problem());
  if (!fits(slowest)) return std::nullopt;
  return least_time(1, slowest, fits);
}

std::optional<Infeasible> misfit(const ShapeLibrary& library) {
  const Problem& problem = library.problem();
  const std::int64_t slowest = slowest_time(problem);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    if (!library.front(library.type_of(i), slowest).empty()) continue;
    const Kernel& kernel = problem.kernel(i);
    const std::string& name = problem.kernels()[i].name;
    return Infeasible{name, "kernel " + name + " (" + std::string(type_name(kernel.formal)) +
                                ") does not fit a " +
                                size_text(problem.wafer().width, problem.wafer().height) +
                                " wafer with " + std::to_string(problem.memory_limit()) +
                                " words a tile; " + nearest_miss(library, kernel, slowest)};
  }
  return std::nullopt;
}

std::optional<Bounds> lower_bounds(const Problem& problem) {
  const ShapeLibrary library(problem);
  const auto time = area_bound(library);
  if (!time) return std::nullopt;
  return Bounds{*time, TimeDistanceBound(library).over(*time)};
}

}  // namespace waferloom
