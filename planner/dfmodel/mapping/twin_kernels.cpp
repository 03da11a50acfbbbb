#include "planner/dfmodel/mapping/twin_kernels.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace waferloom::planner {
namespace {

using Ends = std::vector<std::pair<std::size_t, double>>;

/// All that a mapping's cost knows of a kernel.
struct Features {
  bool is_matrix = false;
  std::array<double, 5> figures{};
  Extents extents{};
  Ends takes;  ///< kernel and bytes, sorted
  Ends makes;
  auto key() const {
    return std::tie(is_matrix, figures, extents.outer, extents.m, extents.k, extents.n, takes,
                    makes);
  }
};

std::vector<Features> features(const DataflowGraph& graph) {
  std::vector<Features> all(graph.kernels.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const DataflowKernel& kernel = graph.kernels[i];
    all[i].is_matrix = is_product(kernel);
    all[i].figures = {kernel.flop, kernel.weight_bytes, kernel.output_bytes,
                      kernel.all_reduce_bytes, kernel.dram_bytes};
    all[i].extents = kernel.extents;
  }
  for (const DataflowTensor& tensor : graph.tensors) {
    all[tensor.to].takes.emplace_back(tensor.from, tensor.bytes);
    all[tensor.from].makes.emplace_back(tensor.to, tensor.bytes);
  }
  for (Features& of_kernel : all) {
    std::sort(of_kernel.takes.begin(), of_kernel.takes.end());
    std::sort(of_kernel.makes.begin(), of_kernel.makes.end());
  }
  return all;
}

}  // namespace

std::vector<Precedence> twin_orders(const DataflowGraph& graph) {
  const std::vector<Features> all = features(graph);
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto left = all[a].key();
    const auto right = all[b].key();
    return left != right ? left < right : a < b;
  });
  std::vector<Precedence> orders;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (all[order[i - 1]].key() == all[order[i]].key()) orders.push_back({order[i - 1], order[i]});
  }
  return orders;
}

}  // namespace waferloom::planner
