#include "placer/free/free_annealer.h"

#include <doctest/doctest.h>

#include <atomic>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

AnnealBudget budget_of(std::uint64_t moves) {
  AnnealBudget budget;
  budget.moves = moves;
  return budget;
}

TEST_CASE("annealing around all kinds of constraints is legal and repeatable") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    INFO("seed ", seed);
    const Problem problem = test::constrained_problem(seed, test::kAllBind);
    const ShapeLibrary library(problem);
    const ClearSpace space(problem);
    test::Draw draw(seed);
    const Placement start = test::scattered(library, test::roomy_time(library), draw);
    const auto run = [&] {
      RandomStream random({seed, 0, 0});
      return anneal_free(library, space, start, budget_of(20'000), Cooling{}, random);
    };
    const auto result = run();
    REQUIRE(result.has_value());
    CHECK(test::violations(problem, *result) == 0);
    CHECK(run() == result);
  }
}

TEST_CASE("a legal start is improved, and never lost") {
  const Problem problem = test::constrained_problem(2, test::kAllBind);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  const CostModel costs(problem);
  test::Draw draw(2);
  const auto anneal = [&](const Placement& start, std::uint64_t moves, std::uint64_t seed) {
    RandomStream random({seed, 0, 0});
    return anneal_free(library, space, start, budget_of(moves), Cooling{}, random).value();
  };
  const auto total = [&](const Placement& placement) {
    return costs.total(score(problem, placement));
  };
  const Placement rough =
      anneal(test::scattered(library, test::roomy_time(library), draw), 1'000, 1);
  CHECK(total(anneal(rough, 0, 2)) <= total(rough));
  CHECK(total(anneal(rough, 30'000, 3)) < total(rough));
}

TEST_CASE("where a kernel has no place there is no result") {
  const Problem plain = test::medium_problem(4, Weights{}, 2);
  ProblemData data = plain.data();
  SUBCASE("dead everywhere") { data.wafer.dead = {{0, 0, 70, 60}}; }
  SUBCASE("a region smaller than any shape") {
    data.constraints.regions = {Region{{2}, {9, 9, 1, 1}, RegionRule::inside, {}}};
  }
  SUBCASE("two fixed kernels that overlap") {
    data.constraints.fixed = {FixedKernel{1, 5, 5, false, {}}, FixedKernel{2, 5, 5, false, {}}};
  }
  const Problem problem(data);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  test::Draw draw(2);
  RandomStream random({2, 0, 0});
  const Placement start = test::scattered(library, test::roomy_time(library), draw);
  CHECK_FALSE(anneal_free(library, space, start, budget_of(2'000), Cooling{}, random).has_value());
}

}  // namespace
}  // namespace waferloom::placer
