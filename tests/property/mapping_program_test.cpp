#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/ideal_program.h"
#include "planner/dfmodel/mapping/mapping_milp.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"

namespace waferloom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Without SRAM's limit something takes less.
bool is_bound_by_sram(const planner::MappingProblem& problem, double total_s) {
  planner::MappingProblem free = problem;
  free.rates.sram_bytes = kInfinity;
  return planner::best_mapping(free).cost.total_s < total_s * (1 - 1e-9);
}

/// Ideals and CBC without a start agree on so many random graphs, priced by one cost.
void compare_with_cbc(std::uint64_t seed, int rounds) {
  planner::RandomGraphs random(seed);
  int graphs = 0;
  int mapped = 0;
  int bound_by_sram = 0;
  int bound_by_dram = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto kernels = static_cast<std::size_t>(random.draw(3, 7));
    planner::MappingProblem problem = random.problem(
        random.graph(kernels, random.draw(20, 60)), 1 + static_cast<double>(random.draw(0, 6)) / 2);
    if (round % 4 == 0) {
      const double live =
          planner::mapping_cost(problem, planner::kernel_by_kernel(problem.graph)).dram_bytes;
      problem.rates.dram_bytes = live / 3;
    }
    CAPTURE(round);
    planner::MappingSearchOptions by_ideals;
    by_ideals.method = planner::MappingMethod::ideals;
    const planner::FoundMapping exact = planner::best_mapping(problem, by_ideals);
    REQUIRE(exact.is_optimal);
    // CBC's own partitions: it is told neither a mapping nor which kernels are interchangeable.
    const planner::MappingProgramResult solved = planner::solve_mapping_program(problem, {});
    ++graphs;
    CHECK(solved.is_proven);
    REQUIRE(exact.partitions.empty() == solved.partitions.empty());
    if (exact.partitions.empty()) continue;
    ++mapped;
    const planner::MappingCost cost = planner::mapping_cost(problem, solved.partitions);
    CHECK(cost.fits);
    CHECK(std::abs(cost.total_s - exact.cost.total_s) <= 1e-9 * exact.cost.total_s);
    CHECK(std::abs(solved.bound_s - exact.cost.total_s) <= 1e-6 * exact.cost.total_s);
    if (exact.partitions.size() >= 3 && is_bound_by_sram(problem, exact.cost.total_s)) {
      ++bound_by_sram;
    }
    if (problem.rates.dram_bytes < kInfinity) ++bound_by_dram;
  }
  MESSAGE(graphs, " graphs, ", mapped, " with a mapping, ", bound_by_sram,
          " with SRAM binding and at least 3 partitions, ", bound_by_dram, " with DRAM's limit");
  CHECK(6 * mapped >= 5 * rounds);
  CHECK(5 * bound_by_sram >= rounds);
  CHECK(24 * bound_by_dram >= rounds);
}

TEST_CASE("ideals and CBC without a start agree to 1e-9 on random graphs") {
  compare_with_cbc(13, 80);
}

TEST_CASE("ideals and CBC without a start agree to 1e-9 on many random graphs [deep]") {
  compare_with_cbc(14, 240);
}

}  // namespace
}  // namespace waferloom
