#include "placer/gigaplacer/refinement/time_tightening.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "placer/gigaplacer/rows/row_slides.h"

namespace waferloom::placer {
namespace {

std::vector<std::int64_t> times_of(const Problem& problem, const RowLayout& layout) {
  std::vector<std::int64_t> times;
  for (KernelIndex i = 0; i < layout.kernels.size(); ++i) {
    times.push_back(
        compute_time(problem.kernel(i), layout.kernels[i].execution, problem.time_denominator()));
  }
  return times;
}

/// The kernel under a lower time cap, no wider than before, its centre about where it was.
std::optional<LaidKernel> reshaped(ShapeCache& cache, KernelIndex index, const LaidKernel& laid,
                                   const LaidRow& row, std::int64_t time) {
  const auto shapes = cache.shapes(index, time);
  const auto fitted = fit(shapes->front, Extent{laid.tiles.width, row.height});
  if (!fitted) return std::nullopt;
  LaidKernel result{fitted->shape.execution, fitted->rotated, laid.tiles};
  Extent size = fitted->shape.size;
  if (fitted->rotated) std::swap(size.width, size.height);
  result.tiles.width = size.width;
  result.tiles.height = size.height;
  result.tiles.y =
      std::clamp((centre2_y(laid) - size.height) / 2, row.y, row.y + row.height - size.height);
  return result;
}

}  // namespace

bool tighten_time(ShapeCache& cache, RowLayout& layout) {
  bool ever = false;
  while (true) {
    const std::vector<std::int64_t> times = times_of(cache.problem(), layout);
    const std::int64_t slowest = *std::max_element(times.begin(), times.end());
    RowLayout faster = layout;
    for (const LaidRow& row : layout.rows) {
      for (const KernelIndex index : row.kernels) {
        if (times[index] < slowest) continue;
        const auto shape = reshaped(cache, index, layout.kernels[index], row, slowest - 1);
        if (!shape) return ever;
        faster.kernels[index] = *shape;
      }
    }
    layout = std::move(faster);
    for (const LaidRow& row : layout.rows) {
      pack_row(layout, row, layout.kernels[row.kernels.front()].tiles.x);
    }
    ever = true;
  }
}

}  // namespace waferloom::placer
