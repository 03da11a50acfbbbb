#include "placer/gigaplacer/rows/row_layout.h"

#include <algorithm>
#include <utility>

#include "placer/gigaplacer/rows/row_height.h"

namespace waferloom::placer {
namespace {

LaidKernel lay_kernel(const RowTable& table, std::size_t position, const PlannedRow& row) {
  const FittedShape fitted = narrowest_shape(table, position, row.height);
  LaidKernel laid{fitted.shape.execution, fitted.rotated, {}};
  laid.tiles.width = fitted.shape.size.width;
  laid.tiles.height = fitted.shape.size.height;
  if (fitted.rotated) std::swap(laid.tiles.width, laid.tiles.height);
  return laid;
}

}  // namespace

RowLayout lay_rows(const RowTable& table, const RowPlan& plan, RowCourse course) {
  const KernelOrder& order = table.order();
  RowLayout layout{table.room(), std::vector<LaidKernel>(order.size()), {}};
  std::int64_t y = 0;
  bool leftward = false;
  for (const PlannedRow& planned : plan) {
    LaidRow row{{}, y, planned.height};
    for (std::size_t p = planned.span.first; p < planned.span.last; ++p) {
      row.kernels.push_back(order.kernels[p]);
      LaidKernel& laid = layout.kernels[order.kernels[p]];
      laid = lay_kernel(table, p, planned);
      laid.tiles.y = y + (planned.height - laid.tiles.height) / 2;
    }
    if (leftward) std::reverse(row.kernels.begin(), row.kernels.end());
    std::int64_t x = leftward ? table.room().width - table.width(planned.span, planned.height) : 0;
    for (const KernelIndex kernel : row.kernels) {
      layout.kernels[kernel].tiles.x = x;
      x += layout.kernels[kernel].tiles.width;
    }
    layout.rows.push_back(std::move(row));
    y += planned.height;
    leftward = course == RowCourse::snake && !leftward;
  }
  return layout;
}

Placement to_placement(const RowLayout& layout, bool transposed) {
  Placement placement;
  for (const LaidKernel& laid : layout.kernels) {
    PlacedKernel placed{laid.execution, laid.tiles.x, laid.tiles.y, laid.rotated};
    if (transposed) {
      std::swap(placed.x, placed.y);
      placed.rotated = !placed.rotated;
    }
    placement.kernels.push_back(placed);
  }
  return placement;
}

Score layout_score(const Problem& problem, const RowLayout& layout) {
  return score(problem, to_placement(layout, false));
}

bool is_sound(const Problem& problem, const RowLayout& layout) {
  std::vector<int> seen(problem.kernel_count(), 0);
  if (layout.kernels.size() != problem.kernel_count()) return false;
  std::int64_t floor = 0;
  for (const LaidRow& row : layout.rows) {
    if (row.y < floor || row.y + row.height > layout.room.height) return false;
    floor = row.y + row.height;
    std::int64_t x = 0;
    for (const KernelIndex index : row.kernels) {
      const LaidKernel& laid = layout.kernels[index];
      ++seen[index];
      if (!within_limits(problem.kernel(index), laid.execution)) return false;
      Extent size = extent(problem.kernel(index), laid.execution);
      if (laid.rotated) std::swap(size.width, size.height);
      if (size != Extent{laid.tiles.width, laid.tiles.height}) return false;
      if (laid.tiles.x < x || laid.tiles.y < row.y) return false;
      if (laid.tiles.y + laid.tiles.height > floor) return false;
      x = laid.tiles.x + laid.tiles.width;
    }
    if (x > layout.room.width) return false;
  }
  return std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; });
}

}  // namespace waferloom::placer
