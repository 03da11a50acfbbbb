#include "planner/dfmodel/mapping/order_cut.h"

#include <doctest/doctest.h>

namespace waferloom::planner {
namespace {

/// Two chains of two, 0 -> 2 and 1 -> 3, whose kernels stand level by level. A tensor of 40 bytes
/// is two pieces of 1 byte in the SRAM and 4 s of DRAM each way; kernels have 10 bytes of weights.
MappingProblem two_chains(double sram) {
  DataflowGraph graph;
  graph.pieces = 40;
  graph.kernels.resize(4);
  for (DataflowKernel& kernel : graph.kernels) kernel.weight_bytes = 10;
  graph.tensors = {{0, 2, 40}, {1, 3, 40}};
  ChipRates rates;
  rates.dram_bytes_per_s = 10;
  rates.sram_bytes = sram;
  return {graph, rates};
}

TEST_CASE("the best cut of one order, by hand") {
  // All: 44 bytes. Three of them: 34; a chain: 22; two that share nothing: 24; one: 12.
  const std::vector<std::size_t> by_level{0, 1, 2, 3};
  const std::vector<std::size_t> by_chain{0, 2, 1, 3};
  CHECK(best_cut(two_chains(44), by_level, {}) == Partitions{{0, 1, 2, 3}});
  CHECK(best_cut(two_chains(43), by_chain, {}) == Partitions{{0, 2}, {1, 3}});
  CHECK(best_cut(two_chains(22), by_chain, {}) == Partitions{{0, 2}, {1, 3}});
  // By level only pairs that share nothing, or three; both tensors are cut, or one is.
  CHECK(best_cut(two_chains(24), by_level, {}) == Partitions{{0, 1}, {2, 3}});
  CHECK(best_cut(two_chains(12), by_level, {}) == Partitions{{0}, {1}, {2}, {3}});
  CHECK(best_cut(two_chains(11), by_level, {}).empty());
  // A number of pieces, kernels of each by index.
  CHECK(best_cut(two_chains(44), {1, 0, 3, 2}, 1) == Partitions{{0, 1, 2, 3}});
  CHECK(best_cut(two_chains(44), by_chain, 2) == Partitions{{0, 2}, {1, 3}});
  CHECK(best_cut(two_chains(44), by_chain, 4) == Partitions{{0}, {2}, {1}, {3}});
  CHECK(best_cut(two_chains(22), by_chain, 1).empty());
  CHECK(best_cut(two_chains(22), by_chain, 3).size() == 3);
}

TEST_CASE("a cut keeps to what DRAM holds between partitions") {
  MappingProblem problem = two_chains(24);
  problem.rates.dram_bytes = 80;
  CHECK(best_cut(problem, {0, 1, 2, 3}, {}) == Partitions{{0, 1}, {2, 3}});
  problem.rates.dram_bytes = 79;
  CHECK(best_cut(problem, {0, 1, 2, 3}, {}).empty());
  CHECK(best_cut(problem, {0, 2, 1, 3}, {}) == Partitions{{0, 2}, {1, 3}});
}

TEST_CASE("of several orders the best: chains stay together though they stand level by level") {
  CHECK(best_cut_of_orders(two_chains(24), {}) == Partitions{{0, 2}, {1, 3}});
  CHECK(best_cut_of_orders(two_chains(24), 2) == Partitions{{0, 2}, {1, 3}});
  CHECK(best_cut_of_orders(two_chains(11), {}).empty());
  CHECK(best_cut_of_orders(two_chains(24), 1).empty());
}

}  // namespace
}  // namespace waferloom::planner
