#include "placer/free/free_squeeze.h"

#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

/// All that squeezing finds within some moves.
std::vector<Placement> squeezed(const Problem& problem, const Placement& start, std::uint64_t moves,
                                double wire_weight = 0.1) {
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  AnnealBudget budget;
  budget.moves = moves;
  RandomStream random({1, 0, 0});
  std::vector<Placement> found;
  squeeze_free(library, space, start, wire_weight, budget, random,
               [&](const Placement& placement) { found.push_back(placement); });
  return found;
}

Placement overlapping_start(const Problem& problem, std::uint64_t seed) {
  const ShapeLibrary library(problem);
  test::Draw draw(seed);
  return test::scattered(library, test::roomy_time(library), draw);
}

TEST_CASE("whatever binds, all that is found is legal, at falling times, and again the same") {
  const test::Binding bindings[] = {{},
                                    {.dead = true},
                                    {.fixed_cut = true, .fixed = true},
                                    {.inside = true, .outside = true},
                                    test::kAllBind};
  for (const test::Binding& binding : bindings) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      INFO("binding ", &binding - bindings, " seed ", seed);
      const Problem problem = test::constrained_problem(seed, binding);
      const Placement start = overlapping_start(problem, seed);
      const std::vector<Placement> found = squeezed(problem, start, 40'000);
      // What is fixed with its execution may already be the slowest.
      REQUIRE(found.size() > (binding.fixed_cut ? 0 : 1));
      std::int64_t last = 0;
      for (const Placement& placement : found) {
        CHECK(test::violations(problem, placement) == 0);
        const std::int64_t time = score(problem, placement).time;
        if (&placement != &found.front()) CHECK(time < last);
        last = time;
      }
      CHECK(squeezed(problem, start, 40'000) == found);
    }
  }
}

TEST_CASE("squeezing ends by itself where no lower cap is possible") {
  Execution fastest;  // c 1, k 1: one way to cut it
  fastest.c[0] = fastest.k[0] = 1;
  const Problem problem(
      test::problem_data({test::dense(1, 1), test::dense(1, 1)}, {{0, 1}}, Wafer{20, 20}));
  const Placement start{{PlacedKernel{fastest, 3, 3, false}, PlacedKernel{fastest, 4, 3, false}}};
  const std::vector<Placement> found = squeezed(problem, start, ~std::uint64_t{0});
  REQUIRE(found.size() == 1);
  CHECK(test::violations(problem, found.front()) == 0);
}

TEST_CASE("a start that is legal is found as it is before all else") {
  const Problem problem = test::constrained_problem(2, test::kAllBind);
  const Placement legal = squeezed(problem, overlapping_start(problem, 2), 20'000).back();
  const std::vector<Placement> found = squeezed(problem, legal, 20'000);
  REQUIRE_FALSE(found.empty());
  CHECK(found.front() == legal);
}

TEST_CASE("with wire that counts for nothing the times fall too") {
  const Problem problem = test::constrained_problem(3, test::Binding{.dead = true});
  const std::vector<Placement> found =
      squeezed(problem, overlapping_start(problem, 3), 20'000, 0.0);
  REQUIRE(found.size() > 1);
  CHECK(test::violations(problem, found.back()) == 0);
}

TEST_CASE("a start too fast for the wafer is slowed until it fits") {
  // Five kernels that need more than the wafer has at their start's time.
  const Problem roomy = test::medium_problem(5, Weights{}, 7);
  ProblemData data = roomy.data();
  data.wafer = Wafer{30, 24, {{18, 12, 3, 3}}};
  const Problem problem(data);
  const ShapeLibrary library(problem);
  std::int64_t time = test::roomy_time(library);
  while (library.at(time - time / 8).all_exist &&
         library.at(time).least_area < 4 * data.wafer.width * data.wafer.height) {
    time -= time / 8;
  }
  REQUIRE(library.at(time).least_area > data.wafer.width * data.wafer.height);
  test::Draw draw(7);
  const Placement start = test::scattered(library, time, draw);
  const std::vector<Placement> found = squeezed(problem, start, 400'000);
  REQUIRE_FALSE(found.empty());
  CHECK(test::violations(problem, found.back()) == 0);
  CHECK(score(problem, found.back()).time > score(problem, start).time);
}

TEST_CASE("a region that no shape fits at the start's cap is settled at a higher one") {
  // Kernel k1 is cut into 16 times 3 tiles of width, or narrower and slower.
  ProblemData data =
      test::problem_data({test::dense(16, 16), test::dense(16, 16)}, {{0, 1}}, Wafer{60, 40});
  data.constraints.regions = {Region{{0}, {5, 5, 6, 6}, RegionRule::inside, {}}};
  const Problem problem(data);
  Execution wide;  // c 16, k 16: 48 wide, 17 high
  wide.c[0] = wide.k[0] = 16;
  const Placement start{{PlacedKernel{wide, 5, 5, false}, PlacedKernel{wide, 5, 20, false}}};
  const std::vector<Placement> found = squeezed(problem, start, 20'000);
  REQUIRE_FALSE(found.empty());
  CHECK(test::violations(problem, found.back()) == 0);
}

TEST_CASE("what cannot be is not found") {
  ProblemData data = test::medium_problem(4, Weights{}, 2).data();
  SUBCASE("two fixed kernels that overlap") {
    data.constraints.fixed = {FixedKernel{1, 5, 5, false, {}}, FixedKernel{2, 5, 5, false, {}}};
  }
  SUBCASE("fixed on dead tiles") {
    data.wafer.dead = {{5, 5, 2, 2}};
    data.constraints.fixed = {FixedKernel{1, 5, 5, false, {}}};
  }
  SUBCASE("dead everywhere") { data.wafer.dead = {{0, 0, 70, 60}}; }
  SUBCASE("a region smaller than any shape") {
    data.constraints.regions = {Region{{2}, {9, 9, 1, 1}, RegionRule::inside, {}}};
  }
  const Problem problem(data);
  CHECK(squeezed(problem, overlapping_start(problem, 2), 5'000).empty());
}

TEST_CASE("a raised stop ends it") {
  const Problem problem = test::constrained_problem(2, test::kAllBind);
  const ShapeLibrary library(problem);
  const ClearSpace space(problem);
  std::atomic<bool> raised{false};
  AnnealBudget budget;
  budget.moves = ~std::uint64_t{0};
  budget.stop.stop = &raised;
  RandomStream random({1, 0, 0});
  int found = 0;
  squeeze_free(library, space, overlapping_start(problem, 2), 0.1, budget, random,
               [&](const Placement&) {
                 ++found;
                 raised = true;
               });
  CHECK(found == 1);
}

}  // namespace
}  // namespace waferloom::placer
