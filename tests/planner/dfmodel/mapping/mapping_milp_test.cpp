#include "planner/dfmodel/mapping/mapping_milp.h"

#include <doctest/doctest.h>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

MappingProgramResult solve(const MappingProblem& problem, std::size_t partitions) {
  MappingProgramOptions options;
  options.partitions = partitions;
  return solve_mapping_program(problem, options);
}

TEST_CASE("a chain of three heavy pairs is cut between them") {
  DataflowGraph graph;
  graph.kernels.resize(6);
  for (DataflowKernel& kernel : graph.kernels) kernel.flop = 1;
  for (std::size_t i = 0; i + 1 < graph.kernels.size(); ++i) {
    graph.tensors.push_back({i, i + 1, i % 2 == 0 ? 100.0 : 1.0});
  }
  ChipRates rates;
  rates.flop_per_s = rates.element_flop_per_s = rates.dram_bytes_per_s = 1;
  rates.sram_bytes = 1e6;
  const MappingProgramResult found = solve({graph, rates}, 3);
  CHECK(found.is_proven);
  CHECK(found.partitions == Partitions{{0, 1}, {2, 3}, {4, 5}});
  // Two kernels of a second in each; the middle one also moves a byte in and another out, beside.
  CHECK(found.bound_s == close_to(6).within(1e-6));
}

TEST_CASE(
    "the program's mapping takes as long as the dynamic program's, into any number of parts") {
  RandomGraphs random(21);
  int solved = 0;
  for (int round = 0; round < 30; ++round) {
    const auto kernels = static_cast<std::size_t>(random.draw(3, 6));
    // One draw after another: compilers order arguments as they like.
    const double memory = 1 + static_cast<double>(random.draw(0, 3));
    MappingProblem problem = random.problem(random.graph(kernels, 50), memory);
    if (random.draw(0, 1) == 0)
      problem.rates.dram_bytes = static_cast<double>(random.draw(40, 160));
    problem.rates.streams_weights = random.draw(0, 1) == 0;
    if (random.draw(0, 1) == 0) {
      problem.rates.seconds_per_weight_byte = 1 / (3 * problem.rates.dram_bytes_per_s);
    }
    MappingSearchOptions options;
    options.method = MappingMethod::ideals;
    options.partitions = static_cast<std::size_t>(random.draw(1, std::int64_t(kernels)));
    const FoundMapping judge = best_mapping(problem, options);
    const MappingProgramResult found = solve(problem, *options.partitions);
    CAPTURE(round);
    REQUIRE(found.is_proven);
    CHECK(found.partitions.empty() == judge.partitions.empty());
    if (judge.partitions.empty() || found.partitions.empty()) continue;
    const MappingCost cost = mapping_cost(problem, found.partitions);
    CHECK(cost.fits);
    CHECK(found.partitions.size() == *options.partitions);
    CHECK(cost.total_s == close_to(judge.cost.total_s).within(1e-6));
    CHECK(found.bound_s == close_to(judge.cost.total_s).within(1e-6));
    ++solved;
  }
  CHECK(solved >= 15);
}

TEST_CASE("of two kernels that are alike the one that an order names first is not later") {
  DataflowGraph graph;
  graph.kernels.resize(2);
  for (DataflowKernel& kernel : graph.kernels) kernel.flop = 1;
  ChipRates rates;
  rates.flop_per_s = rates.element_flop_per_s = rates.dram_bytes_per_s = 1;
  rates.sram_bytes = 1e6;
  MappingProgramOptions options;
  options.partitions = 2;
  options.orders = {{0, 1}};
  CHECK(solve_mapping_program({graph, rates}, options).partitions == Partitions{{0}, {1}});
  options.orders = {{1, 0}};
  CHECK(solve_mapping_program({graph, rates}, options).partitions == Partitions{{1}, {0}});
}

TEST_CASE(
    "a best mapping needs at most an odd number of partitions, two for each SRAM but the last") {
  DataflowGraph graph;
  graph.kernels.resize(20);
  for (DataflowKernel& kernel : graph.kernels) kernel.weight_bytes = 10;
  ChipRates rates;
  rates.sram_bytes = 70;  // 200 bytes of weights fill 2.9 of them
  CHECK(most_partitions({graph, rates}) == 5);
  rates.sram_bytes = 210;
  CHECK(most_partitions({graph, rates}) == 1);
  rates.sram_bytes = 11;
  CHECK(most_partitions({graph, rates}) == 20);  // no more than kernels
  rates.sram_bytes = 210;
  rates.dram_bytes = 1e6;  // where DRAM limits too, any number
  CHECK(most_partitions({graph, rates}) == 20);
}

}  // namespace
}  // namespace waferloom::planner
