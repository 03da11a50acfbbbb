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
    const std::string size =
        std::to_string(problem.wafer().width) + "x" + std::to_string(problem.wafer().height);
    // Without the wafer's limit, the smallest shape that meets the memory; without the memory's
    // limit, whether anything fits at all: whichever helps is the nearest miss.
    const Kernel& kernel = problem.kernel(i);
    KernelLimits unlimited = library.limits(slowest);
    const std::int64_t wide = std::min<std::int64_t>(kMaxWaferSide, 8 * library.largest_side());
    const std::vector<Shape> larger = shape_front(kernel, unlimited, wide);
    const auto area = [](const Shape& s) { return s.size.width * s.size.height; };
    std::string message = "kernel " + problem.kernels()[i].name + " (" +
                          std::string(type_name(kernel.formal)) + ") does not fit a " + size +
                          " wafer with " + std::to_string(problem.memory_limit()) + " words a tile";
    if (!larger.empty()) {
      const auto nearest =
          std::min_element(larger.begin(), larger.end(),
                           [&](const Shape& a, const Shape& b) { return area(a) < area(b); });
      message += "; its smallest shape within the memory is " +
                 std::to_string(nearest->size.width) + "x" + std::to_string(nearest->size.height);
    } else {
      Execution finest;
      finest.h = kernel.height;
      finest.w = kernel.width;
      bool possible = true;
      for (std::size_t j = 0; j < convolution_total(kernel); ++j) {
        finest.c[j] = kernel.convolutions[j].in4 / 4;
        finest.k[j] = kernel.convolutions[j].out4 / 4;
        possible = possible && finest.c[j] > 0 && finest.k[j] > 0;
      }
      message += possible ? "; even when cut finest a tile needs " +
                                std::to_string(memory_words(kernel, finest)) + " words, on " +
                                std::to_string(extent(kernel, finest).width) + "x" +
                                std::to_string(extent(kernel, finest).height) + " tiles"
                          : "; it has fewer features than its convolutions split";
    }
    return Infeasible{problem.kernels()[i].name, message};
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
