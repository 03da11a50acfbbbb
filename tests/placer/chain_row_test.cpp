#include "placer/chain_row.h"

#include <doctest/doctest.h>

#include "benchmarks_ispd2020/cases.h"
#include "placer/bounds.h"
#include "tests/placer/placer_cases.h"

namespace waferloom {
namespace {

/// Total of the best row, in CostModel's units; all emitted placements are legal and improve.
std::optional<Int128> best_row(const Problem& problem) {
  const ShapeLibrary library(problem);
  const CostModel costs(problem);
  const ClearSpace space(problem);
  const SearchContext context{
      problem, library, costs, space, topological_order(problem), *area_bound(library), 0, {}};
  std::optional<Int128> best;
  chain_row(context, [&](const Placement& placement) {
    CHECK(test::violations(problem, placement) == 0);
    const Int128 total = costs.total(score(problem, placement));
    CHECK((!best || total < *best));
    best = total;
  });
  return best;
}

TEST_CASE("chains of the contest are laid out at their proven optimum") {
  struct Known {
    const char* name;
    int total;
  };
  for (const Known& known : {Known{"N", 3385}, Known{"T", 12'469}}) {
    INFO(known.name);
    const Problem problem = make_case(known.name);
    const auto total = best_row(problem);
    REQUIRE(total.has_value());
    CHECK(*total == known.total * CostModel(problem).scale());
  }
}

TEST_CASE("rows run along the longer side, and other graphs than paths give none") {
  const auto formals = std::vector<KernelFormal>(6, test::dense(1, 1));
  CHECK(best_row(Problem(test::problem_data(formals, test::chain(6), Wafer{3, 20}))).has_value());
  CHECK(best_row(Problem(test::problem_data(formals, test::chain(6), Wafer{20, 3}))).has_value());
  CHECK_FALSE(best_row(test::medium_problem(6, Weights{}, 3)).has_value());
}

}  // namespace
}  // namespace waferloom
