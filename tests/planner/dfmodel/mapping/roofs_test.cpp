#include <doctest/doctest.h>

#include <limits>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/chip_mapping.h"
#include "tests/planner/dfmodel/mapping/gpt3_chip.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

TEST_CASE("roofs and what is attainable below them by hand") {
  const Roofs roofs{100, 10, 5};
  CHECK(RoofPoint{0, 4, 50}.attainable(roofs) == 40);
  CHECK(RoofPoint{0, 4, 50}.bound(roofs) == PartitionBound::memory);
  CHECK(RoofPoint{0, 50, 4}.attainable(roofs) == 20);
  CHECK(RoofPoint{0, 50, 4}.bound(roofs) == PartitionBound::network);
  CHECK(RoofPoint{0, 10, 20}.attainable(roofs) == 100);
  CHECK(RoofPoint{0, 10, 20}.bound(roofs) == PartitionBound::compute);
}

TEST_CASE("one chip has no network roof, and no memory none to DRAM") {
  System system = test::preset_system("sn10_8x1");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(roofs_of(system, 1).network_bytes_per_s == infinity);
  system.memories.clear();
  const Roofs roofs = roofs_of(system, 1);
  CHECK(RoofPoint{0, infinity, infinity}.attainable(roofs) == close_to(0.9 * 307.2e12));
}

TEST_CASE("a partition reaches its roof, a mapping of several at most") {
  const MappingProblem problem = sn10_problem(8);
  const Roofs roofs = roofs_of(test::preset_system("sn10_8x1"), 8);
  const MappingCost apart = mapping_cost(problem, kernel_by_kernel(problem.graph));
  const RoofPoint below = roof_point(problem, apart, roofs);
  CHECK(below.flop_per_s < below.attainable(roofs));
  Partitions all(1);
  for (std::size_t kernel = 0; kernel < problem.kernels(); ++kernel) all[0].push_back(kernel);
  const MappingCost cost = mapping_cost(problem, all);  // whatever the SRAM
  const RoofPoint point = roof_point(problem, cost, roofs);
  CHECK(point.flop_per_s == close_to(point.attainable(roofs)).within(1e-12));
  CHECK(point.bound(roofs) == cost.partitions[0].bound());
}

TEST_CASE("a mapping that takes no time has no rate") {
  MappingCost cost;
  cost.flop = 0;
  CHECK(roof_point(sn10_problem(8), cost, {100, 10, 5}).flop_per_s == 0);
}

}  // namespace
}  // namespace waferloom::planner
