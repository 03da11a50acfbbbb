#include "placer/annealing/rectangle_annealer.h"

#include <doctest/doctest.h>

#include "placer/annealing/curve_annealer.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("annealing of rectangles lowers cost with adapters, legally and repeatably") {
  const Weights weights{decimal6(1), decimal6(4), decimal6(40)};
  const Problem problem = test::medium_problem(9, weights, 6);
  const ShapeLibrary library(problem);
  const ShapesAtTime shapes = library.at(test::roomy_time(library));
  const SlicingTree tree(std::vector<SlicingTree::Node>{8, 0, 7, 1, 6, 2, 5, 3, 4});
  const auto start = lay_out(library, shapes, tree);
  REQUIRE(start.has_value());
  AnnealBudget budget;
  budget.moves = 20'000;
  const auto run = [&] {
    RandomStream random({7, 0, 0});
    return anneal_rectangles(library, RectangleAnnealStart{tree, *start}, budget, Cooling{}, random)
        .value();
  };
  const RectangleAnnealResult result = run();
  CHECK(result.moves == budget.moves);
  CHECK_NOTHROW(result.tree.check());
  CHECK(test::violations(problem, result.placement) == 0);
  const Score before = score(problem, *start);
  const Score after = score(problem, result.placement);
  const CostModel costs(problem);
  CHECK(costs.total(after) < costs.total(before));
  CHECK(after.adapter < before.adapter);
  CHECK(run().placement == result.placement);
}

}  // namespace
}  // namespace waferloom::placer
