#include "planner/dfmodel/mapping/chip_mapping.h"

#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// a → b → c and a → c; 4 pieces. Levels 0, 1, 2.
MappingProblem triangle_problem() {
  DataflowGraph graph;
  graph.pieces = 4;
  graph.kernels = {{"a", KernelType::gemm, {}, 100, 10, 0, 0, 0},
                   {"b", KernelType::gemm, {}, 200, 20, 0, 6, 0},
                   {"c", KernelType::element_wise, {}, 50, 0, 0, 0, 7}};
  graph.tensors = {{0, 1, 40}, {1, 2, 80}, {0, 2, 16}};
  ChipRates rates;
  rates.flop_per_s = 100;
  rates.element_flop_per_s = 10;
  rates.dram_bytes_per_s = 8;
  rates.sram_bytes = 112;
  rates.seconds_per_reduced_byte = 0.5;
  rates.seconds_per_reduction = 2;
  return {graph, rates};
}

TEST_CASE("a partition's cost by hand") {
  const MappingProblem problem = triangle_problem();
  const PartitionCost cost = partition_cost(problem, KernelSet(3, {0, 1}));
  CHECK(cost.flop == 300);
  CHECK(cost.compute_s == close_to(3));
  CHECK(cost.dram_bytes == 80 + 16);  // b → c and a → c are cut
  CHECK(cost.memory_s == close_to(12));
  CHECK(cost.reduced_bytes == 6);
  CHECK(cost.network_s == close_to(6 * 0.5 + 2));
  // Weights; a → b inside with 1 - 0 + 1 pieces of 10 bytes; the others cut, 2 pieces of 20 and 4.
  CHECK(cost.sram_bytes == close_to(30 + 2 * 10 + 2 * 20 + 2 * 4));
  CHECK(cost.total_s() == close_to(12));
  CHECK(cost.bound() == PartitionBound::memory);
}

TEST_CASE("a tensor inside is held for as many pieces as it skips levels, and one more") {
  const MappingProblem problem = triangle_problem();
  const PartitionCost cost = partition_cost(problem, KernelSet(3, {0, 1, 2}));
  CHECK(cost.sram_bytes == close_to(30 + 2 * 10 + 2 * 20 + 3 * 4));
  CHECK(cost.dram_bytes == 7);  // c's own
  CHECK(cost.compute_s == close_to(3 + 5));
}

TEST_CASE("SRAM: fits at its need, not one byte below") {
  MappingProblem problem = triangle_problem();
  problem.rates.sram_bytes = 102;
  CHECK(partition_cost(problem, KernelSet(3, {0, 1, 2})).fits_sram);
  problem.rates.sram_bytes = 101;
  CHECK_FALSE(partition_cost(problem, KernelSet(3, {0, 1, 2})).fits_sram);
}

TEST_CASE("a mapping is the sum of its partitions, and its tensors lie in DRAM while they wait") {
  MappingProblem problem = triangle_problem();
  problem.rates.seconds_per_weight_byte = 0.1;
  const MappingCost cost = mapping_cost(problem, {{0}, {1}, {2}});
  REQUIRE(cost.partitions.size() == 3);
  CHECK(cost.partitions[0].total_s() == close_to((40 + 16) / 8.0 + 1));
  CHECK(cost.partitions[1].total_s() == close_to((40 + 80) / 8.0 + 2));
  CHECK(cost.partitions[2].total_s() == close_to((80 + 16 + 7) / 8.0));
  CHECK(cost.total_s == close_to(7 + 1 + 15 + 2 + 12.875));
  CHECK(cost.partitions[0].live_dram_bytes == 40 + 16);
  CHECK(cost.partitions[1].live_dram_bytes == 40 + 16 + 80);
  CHECK(cost.partitions[2].live_dram_bytes == 16 + 80);
  CHECK(cost.fits);
  problem.rates.dram_bytes = 136;
  CHECK(mapping_cost(problem, {{0}, {1}, {2}}).fits);
  problem.rates.dram_bytes = 135;
  CHECK_FALSE(mapping_cost(problem, {{0}, {1}, {2}}).fits);
}

TEST_CASE("mappings that are none: the kernel is named") {
  const MappingProblem problem = triangle_problem();
  CHECK_THROWS_WITH_AS(mapping_cost(problem, {{0, 1}}), "kernel c stands in no partition",
                       RequestError);
  CHECK_THROWS_WITH_AS(mapping_cost(problem, {{0, 1}, {1, 2}}),
                       "kernel b stands in two partitions or twice in one", RequestError);
  CHECK_THROWS_WITH_AS(mapping_cost(problem, {{0, 1, 2}, {}}), "partition 2 has no kernel",
                       RequestError);
  CHECK_THROWS_WITH_AS(mapping_cost(problem, {{1}, {0, 2}}),
                       "kernel b in partition 1 takes a tensor of a in partition 2", RequestError);
}

TEST_CASE("random partitions: SRAM grows with every kernel that comes in") {
  RandomGraphs random(1);
  for (int round = 0; round < 300; ++round) {
    const MappingProblem problem(random.graph(9, 35), ChipRates{});
    KernelSet inside(9);
    double sram = 0;
    for (int step = 0; step < 12; ++step) {
      inside.insert(static_cast<std::size_t>(random.draw(0, 8)));
      const double now = partition_cost(problem, inside).sram_bytes;
      CHECK(now >= sram);
      sram = now;
    }
  }
}

TEST_CASE("a kernel that alone is too much for the SRAM is named with its bytes") {
  MappingProblem problem = triangle_problem();
  CHECK(why_beyond_sram(problem).empty());
  problem.rates.sram_bytes = 60;
  CHECK(why_beyond_sram(problem).find("kernel b alone takes 80") == 0);
}

TEST_CASE("a layer of GPT-3 on 8 and on 4 chips has the published figures") {
  for (const std::int64_t tensor : {std::int64_t{8}, std::int64_t{4}}) {
    const DataflowGraph graph = gpt3_chip_layer(tensor);
    const auto kernel = [&](const char* name) {
      return graph.kernels[named(graph, {{name}})[0][0]];
    };
    const double share = 8 / static_cast<double>(tensor);
    CHECK(kernel("Q").flop == 77309411328 * share);
    CHECK(kernel("MHA1").flop == 12884901888 * share);
    CHECK(kernel("Drop1").flop == 50331648 * share);
    CHECK(kernel("FFN1").weight_bytes == 150994944 * share);
    CHECK(kernel("FFN0").output_bytes == 25165824 * share);
    CHECK(kernel("Proj").all_reduce_bytes == 50331648);
    CHECK(kernel("LN2").flop == 25165824);
  }
}

TEST_CASE("the vendor's cut of a transformer layer: after V, LN2 and FFN0") {
  const DataflowGraph graph = gpt3_chip_layer(8);
  CHECK(partitions_text(graph, vendor_mapping(graph)) ==
        "{Add_Prev, LN1, Q, K, V} {MHA1, Softmax, Drop1, MHA2, Proj, Drop2, Add1, LN2} {FFN0} "
        "{GeLU, FFN1, Drop3, Add2}");
  CHECK(vendor_mapping(triangle_problem().graph).empty());
}

TEST_CASE("weights are loaded as far as that pays and has room, by hand") {
  ChipRates rates;
  rates.dram_bytes_per_s = 8;
  rates.seconds_per_weight_byte = 1 / 16.0;  // two samples share a load
  // 2 s of tensors and 5 s of other work hide 3 s · 8 bytes of weights: 40 - 24 are loaded.
  const WeightDemand demand{40, 100, 2, 5};
  CHECK(loaded_weight_bytes(rates, demand) == 40);  // the chip does not stream
  rates.streams_weights = true;
  CHECK(loaded_weight_bytes(rates, demand) == 16);
  CHECK(loaded_weight_bytes(rates, {40, 9, 2, 5}) == 9);     // no room for more
  CHECK(loaded_weight_bytes(rates, {40, -1, 2, 5}) == 0);    // nor for any
  CHECK(loaded_weight_bytes(rates, {40, 100, 6, 5}) == 40);  // nothing hides behind other work
  CHECK(loaded_weight_bytes(rates, {20, 100, 2, 5}) == 0);   // all is hidden
  rates.seconds_per_weight_byte = 1 / 8.0;
  CHECK(loaded_weight_bytes(rates, {40, 100, 6, 5}) == 0);  // a load is no shorter than a stream
  rates.seconds_per_weight_byte = 0;
  CHECK(loaded_weight_bytes(rates, demand) == 40);  // loads are free
  CHECK(loaded_weight_bytes(rates, {40, 9, 2, 5}) == 9);
}

TEST_CASE("a partition that streams, by hand") {
  MappingProblem problem = triangle_problem();
  problem.rates.streams_weights = true;
  problem.rates.sram_bytes = 79;  // b alone takes 20 of weights and 60 of buffers
  const PartitionCost cost = partition_cost(problem, KernelSet(3, {1}));
  CHECK(cost.fits_sram);
  CHECK(cost.streamed_bytes == 1);
  CHECK(cost.sram_bytes == 79);
  CHECK(cost.dram_bytes == 40 + 80 + 1);
  CHECK(why_beyond_sram(problem).empty());
  problem.rates.sram_bytes = 59;
  CHECK(why_beyond_sram(problem).find("kernel b alone takes 60 bytes of SRAM, of 59") == 0);
}

TEST_CASE("streamed bytes are those of the kernels with the most weights") {
  const DataflowGraph graph = triangle_problem().graph;  // weights of 10, 20 and 0 bytes
  CHECK(streamed_kernels(graph, {0, 1, 2}, 0).empty());
  CHECK(streamed_kernels(graph, {0, 1, 2}, 20) == std::vector<std::size_t>{1});
  CHECK(streamed_kernels(graph, {0, 1, 2}, 21) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("the last kernel is named too where it alone has no room") {
  MappingProblem problem = triangle_problem();
  problem.graph.kernels[2].weight_bytes = 100;
  // Both tensors that it takes are cut: 2 pieces of 20 bytes and 2 of 4.
  CHECK(why_beyond_sram(problem) ==
        "kernel c alone takes 148 bytes of SRAM, of 112; spread it over more chips");
}

TEST_CASE("bounds of partitions are named by what takes longest") {
  CHECK(std::string(partition_bound_name(PartitionBound::compute)) == "compute");
  CHECK(std::string(partition_bound_name(PartitionBound::memory)) == "memory");
  CHECK(std::string(partition_bound_name(PartitionBound::network)) == "network");
}

}  // namespace
}  // namespace waferloom::planner
