#include "planner/dfmodel/mapping/ideal_program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Three kernels in a row: compute of 1, 5 and 1 us, tensors of 2 and 3 us of DRAM each way. All
/// three fit the SRAM only if it holds `sram` bytes of weights and buffers.
MappingProblem row_of_three(double sram) {
  DataflowGraph graph;
  graph.kernels.resize(3);
  for (DataflowKernel& kernel : graph.kernels) {
    kernel.type = KernelType::gemm;
    kernel.weight_bytes = 100;
    kernel.flop = 1000;
  }
  graph.kernels[1].flop = 5000;
  graph.tensors = {{0, 1, 20}, {1, 2, 30}};
  ChipRates rates;
  rates.flop_per_s = 1e9;
  rates.dram_bytes_per_s = 1e7;
  rates.sram_bytes = sram;
  return {graph, rates};
}

// SRAM of partitions: weights of 100 a kernel; a tensor takes two of its one piece, inside or cut:
// 40 and 60. {0, 1, 2}: 400; {0, 1} and {1, 2}: 300; {0}: 140; {2}: 160; {1}: 200.
constexpr double kAll = 400;
constexpr double kTwo = 300;
constexpr double kOne = 200;

IdealProgramResult best_of(const MappingProblem& problem, const IdealProgramOptions& options = {}) {
  return best_chain(problem, order_ideals(problem.graph, {}, 100).value(), options);
}

TEST_CASE("the best chain of ideals of a row, by hand") {
  CHECK(best_of(row_of_three(kAll)).partitions == Partitions{{0, 1, 2}});
  CHECK(best_of(row_of_three(kAll - 1)).partitions.size() == 2);
  // {0} {1, 2}: max(1, 2) + max(6, 2) us; {0, 1} {2}: max(6, 3) + max(1, 3) us.
  CHECK(best_of(row_of_three(kTwo)).partitions == Partitions{{0}, {1, 2}});
  CHECK(best_of(row_of_three(kOne)).partitions == Partitions{{0}, {1}, {2}});
  CHECK(best_of(row_of_three(kOne - 1)).partitions.empty());
}

TEST_CASE("so many partitions as are wanted") {
  const MappingProblem problem = row_of_three(kAll);
  CHECK(best_of(problem, {.partitions = 1}).partitions == Partitions{{0, 1, 2}});
  CHECK(best_of(problem, {.partitions = 2}).partitions == Partitions{{0}, {1, 2}});
  CHECK(best_of(problem, {.partitions = 3}).partitions == Partitions{{0}, {1}, {2}});
  CHECK(best_of(row_of_three(kTwo), {.partitions = 1}).partitions.empty());
}

TEST_CASE("a known total rules out what is no better, and nothing that is") {
  // {0} {1, 2} takes 8 us.
  const MappingProblem problem = row_of_three(kTwo);
  for (const std::optional<std::size_t> wanted : {std::optional<std::size_t>{}, {2}}) {
    IdealProgramOptions options;
    options.partitions = wanted;
    options.known_total_s = 8.1e-6;
    CHECK(best_of(problem, options).partitions == Partitions{{0}, {1, 2}});
    options.known_total_s = 6.9e-6;  // less than what has to be computed
    CHECK(best_of(problem, options).partitions.empty());
  }
}

TEST_CASE("compute that is asked for takes the place of the kernels' sum") {
  const MappingProblem problem = row_of_three(kTwo);
  IdealProgramOptions options;
  int asked = 0;
  // As long as its longest kernel, as if kernels ran beside each other.
  options.compute_s = [&](const std::vector<std::size_t>& kernels) {
    ++asked;
    CHECK(std::is_sorted(kernels.begin(), kernels.end()));
    const bool has_long = std::find(kernels.begin(), kernels.end(), 1) != kernels.end();
    return has_long ? 5e-6 : 1e-6;
  };
  // {0} {1, 2}: 2 + 5 us; {0, 1} {2}: 5 + 3 us.
  CHECK(best_of(problem, options).partitions == Partitions{{0}, {1, 2}});
  CHECK(asked > 0);
  // Nothing is ruled out by the sum of the kernels, 7 us, or by any other bound on compute.
  options.known_total_s = 7.01e-6;
  CHECK(best_of(problem, options).partitions == Partitions{{0}, {1, 2}});
  options.partitions = 2;
  CHECK(best_of(problem, options).partitions == Partitions{{0}, {1, 2}});
  // In one partition 5 us, less than the sum.
  MappingProblem roomy = row_of_three(kAll);
  options.partitions = {};
  options.known_total_s = 5.01e-6;
  CHECK(best_of(roomy, options).partitions == Partitions{{0, 1, 2}});
}

TEST_CASE("every pair of ideals is priced once") {
  // Four kernels that know nothing of each other: each lies in both ideals of a pair, in the larger
  // alone or in none, 3^4 pairs, of which 2^4 are alike.
  DataflowGraph graph;
  graph.kernels.resize(4);
  const MappingProblem problem(graph, ChipRates{});
  const auto ideals = order_ideals(graph, {}, 16);
  REQUIRE(ideals.has_value());
  CHECK(best_chain(problem, *ideals, {}).transitions == 81 - 16);
}

TEST_CASE("kernels of a partition are asked for together, whichever way the walk came") {
  // Four kernels that know nothing of each other: 16 ideals.
  DataflowGraph graph;
  graph.kernels.resize(4);
  for (DataflowKernel& kernel : graph.kernels) kernel.weight_bytes = 1;
  const MappingProblem problem(graph, ChipRates{.sram_bytes = 2});
  IdealProgramOptions options;
  // 0 goes with 3, 1 with 2; all else takes long.
  options.compute_s = [](const std::vector<std::size_t>& kernels) {
    REQUIRE_FALSE(kernels.empty());
    const bool are_friends = kernels.size() == 2 && kernels[0] + kernels[1] == 3;
    return kernels.size() == 1 || are_friends ? 1.0 : 9.0;
  };
  const Partitions found = best_of(problem, options).partitions;
  REQUIRE(found.size() == 2);
  for (const auto& partition : found) {
    REQUIRE(partition.size() == 2);
    CHECK(partition[0] + partition[1] == 3);
  }
}

TEST_CASE("what is alive in DRAM is limited") {
  // Between the partitions of {0} {1, 2} 20 bytes lie there, of {0, 1} {2} 30.
  MappingProblem problem = row_of_three(kTwo);
  problem.rates.dram_bytes = 20;
  CHECK(best_of(problem).partitions == Partitions{{0}, {1, 2}});
  problem.rates.dram_bytes = 19;
  CHECK(best_of(problem).partitions.empty());
}

TEST_CASE("it stops when it is told to, and tells how many pairs it priced") {
  const MappingProblem problem = row_of_three(kAll);
  IdealProgramOptions options;
  options.control.asked = [] { return true; };
  CHECK(best_of(problem, options).was_stopped);
  CHECK(best_of(problem, options).partitions.empty());
  options.control.asked = [] { return false; };
  const IdealProgramResult found = best_of(problem, options);
  CHECK_FALSE(found.was_stopped);
  CHECK(found.transitions == 6);  // of four ideals in a row
}

TEST_CASE("more kernels than a word has bits") {
  // 70 in a row that fit two at a time: 35 partitions, a tensor of 1 s between two of them.
  DataflowGraph graph;
  graph.kernels.resize(70);
  for (DataflowKernel& kernel : graph.kernels) kernel.weight_bytes = 10;
  for (std::size_t i = 1; i < 70; ++i) graph.tensors.push_back({i - 1, i, i % 2 == 0 ? 1.0 : 2.0});
  const MappingProblem problem(graph, ChipRates{.sram_bytes = 29});
  const Partitions found = best_of(problem).partitions;
  REQUIRE(found.size() == 35);
  for (std::size_t p = 0; p < 35; ++p)
    CHECK(found[p] == std::vector<std::size_t>{2 * p, 2 * p + 1});
  CHECK(mapping_cost(problem, found).total_s == close_to(2.0 * 34));
}

}  // namespace
}  // namespace waferloom::planner
