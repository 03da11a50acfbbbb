#include "planner/dfmodel/mapping/additive_cost.h"

#include <doctest/doctest.h>

#include "tests/planner/dfmodel/mapping/random_graphs.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// What partitions cost one by one: sums of shares, each partition behind those before it.
std::vector<CostSums> sums_of(const MappingProblem& problem, const Partitions& partitions) {
  KernelShares shares(problem);
  std::vector<CostSums> all;
  for (const auto& partition : partitions) {
    CostSums sums;
    for (const std::size_t kernel : partition) sums += shares.of(kernel);
    for (const std::size_t kernel : partition) shares.finish(kernel);
    all.push_back(sums);
  }
  return all;
}

TEST_CASE("shares of two kernels and a tensor, by hand") {
  DataflowGraph graph;
  graph.pieces = 5;
  graph.kernels.resize(2);
  graph.kernels[0] = {"a", KernelType::gemm, {}, 60, 7, 0, 0, 4};
  graph.kernels[1] = {"b", KernelType::element_wise, {}, 60, 9, 0, 10, 0};
  graph.tensors = {{0, 1, 20}};
  ChipRates rates;
  rates.flop_per_s = 30;
  rates.element_flop_per_s = 20;
  rates.dram_bytes_per_s = 2;
  rates.seconds_per_reduced_byte = 0.5;
  rates.seconds_per_weight_byte = 0.1;
  const MappingProblem problem(graph, rates);
  KernelShares shares(problem);
  // The rest: 2 + 3 s of compute, 4 bytes of DRAM, 10 reduced.
  CHECK(shares.rest().compute_s == close_to(5.0));
  CHECK(shares.rest().memory_s == close_to(2.0));
  CHECK(shares.rest().network_s == close_to(5.0));
  CHECK(shares.rest().weight_bytes == 16);
  CHECK(shares.least_s(shares.rest()) == close_to(6.6));
  // The tensor is written with a, and taken back with b; two pieces lie in the SRAM either way.
  CHECK(shares.of(0).memory_s == close_to(2.0 + 10));
  CHECK(shares.of(0).sram == close_to(7.0 * 5 + 2 * 20));
  CHECK(shares.of(0).live_dram_bytes == close_to(20.0));
  CHECK(shares.of(1).memory_s == close_to(-10.0));
  CHECK(shares.of(1).sram == close_to(9.0 * 5));
  CHECK(shares.of(1).live_dram_bytes == close_to(-20.0));
  CHECK(shares.waiting_bytes() == 0);
  // Behind a it is read with b, and waits until then.
  shares.finish(0);
  CHECK(shares.waiting_bytes() == 20);
  CHECK(shares.of(1).memory_s == close_to(10.0));
  CHECK(shares.of(1).sram == close_to(9.0 * 5 + 2 * 20));
  CHECK(shares.of(1).live_dram_bytes == 0);
  CHECK(shares.rest().compute_s == close_to(3.0));
  CHECK(shares.rest().memory_s == 0);
  CHECK(shares.rest().network_s == close_to(5.0));
  CHECK(shares.rest().weight_bytes == 9);
  shares.finish(1);
  CHECK(shares.waiting_bytes() == 0);
  CHECK(shares.least_s(shares.rest()) == close_to(0.0).or_within(1e-15));  // 0.7 + 0.9 s of weights
  // And back.
  shares.take_back(1);
  CHECK(shares.waiting_bytes() == 20);
  shares.take_back(0);
  CHECK(shares.waiting_bytes() == 0);
  CHECK(shares.of(1).memory_s == close_to(-10.0));
  CHECK(shares.least_s(shares.rest()) == close_to(6.6));
}

TEST_CASE("sums of shares are what partitions cost, whatever is done before them") {
  RandomGraphs random(21);
  for (int round = 0; round < 40; ++round) {
    MappingProblem problem = random.problem(random.graph(6, 50), 2);
    problem.rates.seconds_per_weight_byte = 0.125;  // below 1 / (6 bytes/s), the fastest DRAM
    problem.rates.streams_weights = round % 2 == 1;
    Partitions partitions(1);
    for (std::size_t kernel = 0; kernel < 6; ++kernel) {
      if (!partitions.back().empty() && random.draw(0, 1) == 0) partitions.emplace_back();
      partitions.back().push_back(kernel);
    }
    const std::vector<CostSums> sums = sums_of(problem, partitions);
    const MappingCost cost = mapping_cost(problem, partitions);
    const KernelShares shares(problem);
    for (std::size_t p = 0; p < partitions.size(); ++p) {
      const PartitionCost& partition_cost = cost.partitions[p];
      CHECK(sums[p].compute_s == close_to(partition_cost.compute_s));
      const double streamed_s = partition_cost.streamed_bytes / problem.rates.dram_bytes_per_s;
      CHECK(sums[p].memory_s + streamed_s == close_to(partition_cost.memory_s));
      CHECK(sums[p].network_s == close_to(partition_cost.network_s));
      const double loaded = sums[p].weight_bytes - partition_cost.streamed_bytes;
      CHECK(loaded * 0.125 == close_to(partition_cost.weight_load_s));
      const double beside = problem.rates.streams_weights ? loaded : 0;
      CHECK(sums[p].sram / 8 + beside == close_to(partition_cost.sram_bytes));
      CHECK(shares.total_s(sums[p]) == close_to(partition_cost.total_s()));
    }
  }
}

}  // namespace
}  // namespace waferloom::planner
