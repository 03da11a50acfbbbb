#include "placer/starts/starts.h"

#include <doctest/doctest.h>

#include <atomic>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("no start places anything once the stop signal is raised") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  std::atomic<bool> raised{true};
  const SearchContext context =
      test::context_of(problem, library, costs, space, RunControl{.stop = &raised});
  for (const Start& start : start_table()) {
    INFO(start.name);
    start.run(context, [](const Placement&) { FAIL("placed although stopped"); });
  }
}

TEST_CASE("a start that is stopped at its first placement places little more") {
  const Problem problem = test::medium_problem(9, Weights{}, 23, false);
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  for (const Start& start : start_table()) {
    INFO(start.name);
    std::atomic<bool> raised{false};
    const SearchContext context =
        test::context_of(problem, library, costs, space, RunControl{.stop = &raised});
    int placed = 0;
    start.run(context, [&](const Placement& placement) {
      CHECK(test::violations(problem, placement) == 0);
      ++placed;
      raised = true;
    });
    CHECK(placed >= 1);
    CHECK(placed <= 50);  // those of one signature at all caps, at the most
  }
}

}  // namespace
}  // namespace waferloom::placer
