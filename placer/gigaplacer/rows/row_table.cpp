#include "placer/gigaplacer/rows/row_table.h"

#include <algorithm>

namespace waferloom::placer {

RowTable::RowTable(const KernelOrder& order, const Extent& room, std::int64_t time,
                   ShapeCache& cache)
    : problem_(&cache.problem()), order_(&order), room_(room), time_(time) {
  shapes_.reserve(order.size());
  for (const KernelIndex kernel : order.kernels) shapes_.push_back(cache.shapes(kernel, time));
  const std::size_t stride = order.size() + 1;
  before_.resize(stride * (static_cast<std::size_t>(room.height) + 1));
  for (std::int64_t height = 0; height <= room.height; ++height) {
    std::int32_t sum = 0;
    std::int32_t* row = &before_[static_cast<std::size_t>(height) * stride];
    row[0] = 0;
    for (std::size_t p = 0; p < order.size(); ++p) {
      const std::int64_t least = shapes_[p]->curve(height);
      sum += static_cast<std::int32_t>(std::min(least, room.width + 1));
      row[p + 1] = sum;
    }
  }
}

std::int64_t row_wire(const RowTable& table, const PlannedRow& row) {
  const KernelOrder& order = table.order();
  // Twice the centre of the kernel at `position`, from the row's left end.
  const auto centre2 = [&](std::size_t position) {
    const RowSpan before{row.span.first, position};
    return 2 * table.width(before, row.height) + table.width(position, row.height);
  };
  std::int64_t wire =
      (order.links_cut[row.span.first] + order.links_cut[row.span.last]) * row.height;
  for (std::size_t l = order.first_link[row.span.first]; l < order.first_link[row.span.last]; ++l) {
    const KernelOrder::Link& link = order.links[l];
    if (link.from >= row.span.first) wire += centre2(link.to) - centre2(link.from);
  }
  return wire;
}

}  // namespace waferloom::placer
