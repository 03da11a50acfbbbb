#include "placer/starts/rows/signature_rows.h"

#include <doctest/doctest.h>

#include <optional>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("kernels that can all take a signature lie without adapters") {
  const Problem problem(
      test::problem_data(std::vector<KernelFormal>(6, ConvFormal{4, 4, 1, 1, 6, 6, 1, 1}),
                         test::chain(6), Wafer{60, 40}));
  const ShapeLibrary library(problem);
  std::optional<Placement> best;
  const CostModel costs(problem);
  signature_rows(
      library, ClearSpace(problem), topological_order(problem), RunControl{},
      [&](const Placement& placement) {
        CHECK(test::violations(problem, placement) == 0);
        if (best)
          CHECK(costs.total(score(problem, placement)) < costs.total(score(problem, *best)));
        best = placement;
      });
  REQUIRE(best.has_value());
  CHECK(score(problem, *best).adapter == 0);
}

TEST_CASE("mixed kernels still give legal rows") {
  const Problem problem = test::medium_problem(8, Weights{}, 12);
  const ShapeLibrary library(problem);
  int emitted = 0;
  signature_rows(library, ClearSpace(problem), topological_order(problem), RunControl{},
                 [&](const Placement& placement) {
                   ++emitted;
                   CHECK(test::violations(problem, placement) == 0);
                 });
  CHECK(emitted > 0);
}

}  // namespace
}  // namespace waferloom::placer
