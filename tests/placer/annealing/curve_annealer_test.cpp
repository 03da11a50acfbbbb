#include "placer/annealing/curve_annealer.h"

#include <doctest/doctest.h>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("annealing on curves improves a poor start, legally and repeatably") {
  const Problem problem = test::medium_problem(9, Weights{}, 4);
  const ShapeLibrary library(problem);
  const std::int64_t time = test::roomy_time(library);
  std::vector<ShapesAtTime> levels;
  levels.push_back(library.at(time));
  levels.push_back(library.at(time + time / 4));
  const SlicingTree tree(std::vector<SlicingTree::Node>{8, 0, 7, 1, 6, 2, 5, 3, 4});
  const auto start = lay_out(library, levels[1], tree);
  REQUIRE(start.has_value());
  AnnealBudget budget;
  budget.moves = 4000;
  const auto run = [&] {
    RandomStream random({7, 0, 0});
    return anneal_curves(library, levels, CurveAnnealStart{tree, 1}, budget, Cooling{}, random);
  };
  const auto result = run();
  REQUIRE(result.has_value());
  const auto placement = lay_out(library, levels[result->level], result->tree);
  REQUIRE(placement.has_value());
  CHECK(test::violations(problem, *placement) == 0);
  const CostModel costs(problem);
  CHECK(costs.total(score(problem, *placement)) < costs.total(score(problem, *start)));
  const auto again = run();
  CHECK(lay_out(library, levels[again->level], again->tree) == placement);
}

TEST_CASE("refit finds the least cap at which a tree fits") {
  const Problem problem = test::medium_problem(6, Weights{}, 8);
  const ShapeLibrary library(problem);
  const SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3, 4, 5});
  const std::int64_t roomy = test::roomy_time(library);
  const auto placement = refit(library, tree, roomy);
  REQUIRE(placement.has_value());
  CHECK(test::violations(problem, *placement) == 0);
  const std::int64_t time = score(problem, *placement).time;
  CHECK(time <= roomy);
  CHECK(lay_out(library, library.at(time), tree).has_value());
  CHECK_FALSE(lay_out(library, library.at(time - 1), tree).has_value());
}

}  // namespace
}  // namespace waferloom::placer
