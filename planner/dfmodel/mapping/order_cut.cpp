#include "planner/dfmodel/mapping/order_cut.h"

#include <algorithm>

#include "planner/dfmodel/mapping/additive_cost.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"

namespace waferloom::planner {
namespace {

constexpr std::size_t kMostPieces = 50'000'000;
constexpr std::size_t kMostCountedPieces = 10'000'000;

/// Depth first: a kernel follows the last one that became ready.
std::vector<std::size_t> depth_first(const MappingProblem& problem) {
  std::vector<std::size_t> waits(problem.kernels());
  std::vector<std::size_t> ready;
  for (std::size_t kernel = problem.kernels(); kernel-- > 0;) {
    waits[kernel] = problem.into[kernel].size();
    if (waits[kernel] == 0) ready.push_back(kernel);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t kernel = ready.back();
    ready.pop_back();
    order.push_back(kernel);
    for (auto i = problem.from[kernel].rbegin(); i != problem.from[kernel].rend(); ++i) {
      const std::size_t to = problem.graph.tensors[*i].to;
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
  return order;
}

/// Depth first from the end: every kernel as late as its takers allow.
std::vector<std::size_t> depth_first_backwards(const MappingProblem& problem) {
  std::vector<std::size_t> waits(problem.kernels());
  std::vector<std::size_t> ready;
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) {
    waits[kernel] = problem.from[kernel].size();
    if (waits[kernel] == 0) ready.push_back(kernel);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t kernel = ready.back();
    ready.pop_back();
    order.push_back(kernel);
    for (const std::size_t i : problem.into[kernel]) {
      const std::size_t before = problem.graph.tensors[i].from;
      if (--waits[before] == 0) ready.push_back(before);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::vector<std::size_t>> some_orders(const MappingProblem& problem) {
  std::vector<std::size_t> given(problem.kernels());
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = i;
  std::vector<std::size_t> by_level = given;
  std::stable_sort(by_level.begin(), by_level.end(), [&](std::size_t a, std::size_t b) {
    return problem.level[a] < problem.level[b];
  });
  return {given, by_level, depth_first(problem), depth_first_backwards(problem)};
}

/// best[row][i]: of the first i kernels, in `row` pieces; a single row where they are not counted.
struct Table {
  std::size_t rows = 1;
  std::vector<double> best;
  std::vector<std::size_t> begin;  ///< of the last piece
};

void leave(Table& table, std::size_t from, double cost, std::size_t to) {
  const bool is_counted = table.rows > 1;
  for (std::size_t row = 0; row + (is_counted ? 1 : 0) < table.rows; ++row) {
    const double total = table.best[from * table.rows + row] + cost;
    const std::size_t at = to * table.rows + row + (is_counted ? 1 : 0);
    if (total >= table.best[at]) continue;
    table.best[at] = total;
    table.begin[at] = from;
  }
}

}  // namespace

Partitions best_cut(const MappingProblem& problem, const std::vector<std::size_t>& order,
                    std::optional<std::size_t> partitions) {
  const std::size_t kernels = order.size();
  const std::size_t most = partitions ? kMostCountedPieces / *partitions : kMostPieces;
  const std::size_t longest = std::max<std::size_t>(most / kernels, 1);
  const double sram_limit = problem.rates.sram_bytes * static_cast<double>(problem.graph.pieces);
  Table table;
  table.rows = partitions ? *partitions + 1 : 1;
  table.best.assign((kernels + 1) * table.rows, kInfinity);
  table.begin.assign(table.best.size(), 0);
  table.best[0] = 0;
  KernelShares shares(problem);
  for (std::size_t from = 0; from < kernels; ++from) {
    CostSums sums;
    const double dram_left = problem.rates.dram_bytes - shares.waiting_bytes();
    for (std::size_t to = from; to < std::min(kernels, from + longest); ++to) {
      sums += shares.of(order[to]);
      if (sums.sram > sram_limit) break;
      if (sums.live_dram_bytes <= dram_left) leave(table, from, shares.total_s(sums), to + 1);
    }
    shares.finish(order[from]);
  }
  std::size_t row = table.rows - 1;
  if (table.best[kernels * table.rows + row] == kInfinity) return {};
  Partitions found;
  for (std::size_t end = kernels; end > 0;) {
    const std::size_t begin = table.begin[end * table.rows + row];
    found.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                       order.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(found.back().begin(), found.back().end());
    end = begin;
    if (row > 0) --row;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

Partitions best_cut_of_orders(const MappingProblem& problem,
                              std::optional<std::size_t> partitions) {
  Partitions best;
  double least = kInfinity;
  for (const std::vector<std::size_t>& order : some_orders(problem)) {
    Partitions found = best_cut(problem, order, partitions);
    if (found.empty()) continue;
    const MappingCost cost = mapping_cost(problem, found);
    if (!cost.fits || cost.total_s >= least) continue;
    least = cost.total_s;
    best = std::move(found);
  }
  return best;
}

}  // namespace waferloom::planner
