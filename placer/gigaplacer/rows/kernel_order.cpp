#include "placer/gigaplacer/rows/kernel_order.h"

#include <algorithm>

#include "model/problem.h"

namespace waferloom::placer {

KernelOrder kernel_order(const Problem& problem) {
  KernelOrder order;
  order.kernels = topological_order(problem);
  const std::size_t count = order.size();
  std::vector<std::size_t> position(problem.kernel_count());
  for (std::size_t p = 0; p < count; ++p) position[order.kernels[p]] = p;
  order.links_cut.assign(count + 1, 0);
  order.first_link.assign(count + 1, 0);
  if (count == 0) return order;
  for (const Connection& connection : problem.connections()) {
    const KernelOrder::Link link{position[connection.producer], position[connection.consumer]};
    order.links.push_back(link);
    for (std::size_t p = link.from + 1; p <= link.to; ++p) ++order.links_cut[p];
  }
  std::sort(order.links.begin(), order.links.end(), [](const auto& a, const auto& b) {
    return a.to != b.to ? a.to < b.to : a.from < b.from;
  });
  for (const KernelOrder::Link& link : order.links) ++order.first_link[link.to + 1];
  for (std::size_t p = 0; p < count; ++p) order.first_link[p + 1] += order.first_link[p];
  return order;
}

std::int64_t total_height(const RowPlan& plan) {
  std::int64_t height = 0;
  for (const PlannedRow& row : plan) height += row.height;
  return height;
}

}  // namespace waferloom::placer
