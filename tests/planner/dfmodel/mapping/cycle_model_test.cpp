#include "planner/dfmodel/mapping/cycle_model.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/dfmodel.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"

namespace waferloom::planner {
namespace {

const CycleChip kSn10{640, 32, 6, 1.25e9};

DataflowKernel product(Extents extents) { return {"g", KernelType::gemm, extents, 0, 0, 0, 0, 0}; }
DataflowKernel elements(Extents extents) {
  return {"e", KernelType::element_wise, extents, 0, 0, 0, 0, 0};
}

TEST_CASE("cycles of a product and of an operation on elements by hand") {
  // 100 outputs on 32 lanes: 4 rounds; a tile of 32 tokens on 6: 6 rounds; 7 deep; 2 tiles, 3
  // times.
  CHECK(kernel_cycles(product({3, 100, 7, 64}), kSn10, {1, 1}) == 3 * 2 * 4 * 6 * 7);
  CHECK(kernel_cycles(product({3, 100, 7, 64}), kSn10, {2, 3}) == 3 * 2 * 2 * 2 * 7);
  CHECK(kernel_cycles(elements({1, 100, 7, 64}), kSn10, {1, 1}) == 2 * 4 * 32);
  CHECK(kernel_cycles(elements({1, 100, 7, 64}), kSn10, {4, 1}) == 2 * 1 * 32);
  CHECK(kernel_cycles(product({1, 32, 7, 1}), kSn10, {1, 1}) == 7);  // a token at a time
  CHECK(kernel_cycles(product({1, 32, 7, 33}), kSn10, {1, 1}) == 2 * 6 * 7);
}

TEST_CASE("the fewest cores that keep to so many cycles: as a search over all grids finds") {
  RandomGraphs random(4);
  const CycleChip chip{24, 4, 3, 1, 16};
  for (int round = 0; round < 300; ++round) {
    const Extents extents{random.draw(1, 3), random.draw(1, 60), random.draw(1, 9),
                          random.draw(1, 40)};
    const DataflowKernel kernel = random.draw(0, 1) == 0 ? product(extents) : elements(extents);
    const auto cycles = static_cast<double>(random.draw(1, 3000));
    std::int64_t fewest = 0;
    for (std::int64_t lane = 1; lane <= 20; ++lane) {
      for (std::int64_t stage = 1; stage <= 8; ++stage) {
        if (kernel_cycles(kernel, chip, {lane, stage}) > cycles) continue;
        if (fewest == 0 || lane * stage < fewest) fewest = lane * stage;
      }
    }
    const CoreGrid grid = fewest_cores(kernel, chip, cycles);
    CHECK(grid.cores() == fewest);
    if (fewest > 0) CHECK(kernel_cycles(kernel, chip, grid) <= cycles);
  }
}

TEST_CASE("allocation: no target one cycle lower is met") {
  RandomGraphs random(5);
  const CycleChip chip{24, 4, 3, 1, 16};
  for (int round = 0; round < 100; ++round) {
    DataflowGraph graph;
    std::vector<std::size_t> all;
    for (std::int64_t i = random.draw(1, 5); i > 0; --i) {
      all.push_back(graph.kernels.size());
      const Extents extents{1, random.draw(1, 60), random.draw(1, 9), random.draw(1, 40)};
      graph.kernels.push_back(i % 2 == 0 ? product(extents) : elements(extents));
    }
    const CoreAllocation found = allocate_cores(graph, all, chip);
    REQUIRE(found.grids.size() == all.size());
    CHECK(found.cores <= 24);
    std::int64_t needed = 0;
    bool is_met = true;
    for (const std::size_t kernel : all) {
      CHECK(kernel_cycles(graph.kernels[kernel], chip, found.grids[kernel]) <= found.cycles);
      const CoreGrid grid = fewest_cores(graph.kernels[kernel], chip, found.cycles - 1);
      is_met = is_met && grid.cores() > 0;
      needed += grid.cores();
    }
    CHECK_FALSE((is_met && needed <= 24));
  }
}

TEST_CASE("more kernels than cores never end") {
  DataflowGraph graph;
  graph.kernels = {product({}), product({})};
  CHECK(allocate_cores(graph, {0, 1}, {1, 32, 6, 1e9}).grids.empty());
  const MappingProblem problem(graph, ChipRates{});
  CHECK_FALSE(cycle_mapping_cost(problem, {1, 32, 6, 1e9}, {{0, 1}}).fits);
  CHECK(cycle_mapping_cost(problem, {1, 32, 6, 1e9}, {{0}, {1}}).fits);
}

TEST_CASE("cycle model, micro-batch") {
  CHECK(largest_micro_batch({1649267441664, 96, 452984832, 390070272}) == 42);
  CHECK(largest_micro_batch({100, 1, 40, 30}) == 2);
  CHECK(largest_micro_batch({99, 1, 40, 30}) == 1);
  CHECK(largest_micro_batch({30, 1, 40, 30}) == 0);
  CHECK_THROWS_AS(largest_micro_batch({30, 1, 4, 0}), RequestError);
}

TEST_CASE("systems that say nothing of their arrays have no cycles") {
  System system = test::preset_system("sn10_8x1");
  CHECK(cycle_chip(system).cores == 640);
  system.chip.systolic_height = 0;
  CHECK_THROWS_WITH_AS(cycle_chip(system),
                       "system sn10_8x1: cycles need cores, systolic_width, systolic_height and "
                       "clock_hz of the chip",
                       RequestError);
}

}  // namespace
}  // namespace waferloom::planner
