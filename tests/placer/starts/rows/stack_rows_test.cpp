#include "placer/starts/rows/stack_rows.h"

#include <doctest/doctest.h>

#include "placer/annealing/curve_annealer.h"
#include "placer/starts/rows/row_dp.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("rows of stacks are legal, and fit wherever plain rows do with room to spare") {
  const Problem problem = test::medium_problem(7, Weights{}, 9);
  const ShapeLibrary library(problem);
  const auto order = topological_order(problem);
  int fits = 0;
  for (std::int64_t time = 1; time < 200; time += 3) {
    INFO("time ", time);
    const ShapesAtTime shapes = library.at(time);
    const auto trees = stack_rows(library, shapes, order, 4);
    CHECK(trees.size() <= 3);
    for (const SlicingTree& tree : trees) {
      REQUIRE_NOTHROW(tree.check());
      const auto placement = lay_out(library, shapes, tree);
      REQUIRE(placement.has_value());
      ++fits;
      CHECK(test::violations(problem, *placement) == 0);
      CHECK(score(problem, *placement).time <= time);
    }
    const bool rows_fit = row_dp(library, shapes, order, RowPattern{2, false}).has_value();
    if (rows_fit) CHECK_FALSE(trees.empty());
  }
  CHECK(fits > 10);
}

TEST_CASE("a column goes up where a row does not hold the kernels side by side") {
  // Six layers of 2×3 tiles on 9×4 tiles leave two rows; on 6×6 tiles two columns of three.
  const auto formals = std::vector<KernelFormal>(6, test::dense(1, 1));
  for (const Wafer& wafer : {Wafer{9, 4}, Wafer{6, 6}}) {
    const Problem problem(test::problem_data(formals, test::chain(6), wafer));
    const ShapeLibrary library(problem);
    const auto order = topological_order(problem);
    const ShapesAtTime shapes = library.at(1);
    const auto trees = stack_rows(library, shapes, order, 3);
    REQUIRE_FALSE(trees.empty());
    const auto placement = lay_out(library, shapes, trees.front());
    REQUIRE(placement.has_value());
    // Every kernel touches the next: the sum of a width and a height at most each.
    CHECK(score(problem, *placement).half_distance <= 5 * 2 * 3);
  }
}

TEST_CASE("kernels that cannot fit leave no rows") {
  const Problem problem = test::medium_problem(7, Weights{}, 9);
  const ShapeLibrary library(problem);
  CHECK(stack_rows(library, library.at(1), topological_order(problem), 4).empty());
}

}  // namespace
}  // namespace waferloom::placer
