#include "placer/starts/clear_start.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
namespace {

/// All that the start makes of a problem.
std::vector<Placement> filled(const Problem& problem) {
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  std::vector<Placement> found;
  clear_start(test::context_of(problem, library, costs, space),
              [&](const Placement& placement) { found.push_back(placement); });
  return found;
}

TEST_CASE("whatever binds, what is filled is legal") {
  const test::Binding bindings[] = {{},
                                    {.dead = true},
                                    {.fixed_cut = true, .fixed = true},
                                    {.inside = true, .outside = true},
                                    test::kAllBind};
  for (const test::Binding& binding : bindings) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      INFO("binding ", &binding - bindings, " seed ", seed);
      const Problem problem = test::constrained_problem(seed, binding);
      const std::vector<Placement> found = filled(problem);
      CHECK_FALSE(found.empty());
      for (const Placement& placement : found) CHECK(test::violations(problem, placement) == 0);
    }
  }
}

TEST_CASE("the search for the least cap ends where times are short") {
  // Two kernels of 16, 8, 6, 4, … steps on a wafer on which the fastest shapes do not fit together.
  for (std::int64_t side = 6; side <= 14; ++side) {
    INFO("side ", side);
    ProblemData data = test::problem_data({test::dense(4, 4), test::dense(4, 4)}, {{0, 1}},
                                          Wafer{side, side, {{side / 2, side / 2, 1, 1}}});
    const Problem problem(data);
    for (const Placement& placement : filled(problem)) {
      CHECK(test::violations(problem, placement) == 0);
    }
  }
}

TEST_CASE("where a fixed kernel has no place nothing is filled") {
  ProblemData data = test::medium_problem(4, Weights{}, 2).data();
  data.wafer.dead = {{5, 5, 2, 2}};
  data.constraints.fixed = {FixedKernel{1, 5, 5, false, {}}};
  CHECK(filled(Problem(data)).empty());
}

}  // namespace
}  // namespace waferloom::placer
