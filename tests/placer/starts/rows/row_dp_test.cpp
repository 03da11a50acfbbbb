#include "placer/starts/rows/row_dp.h"

#include <doctest/doctest.h>

#include "placer/annealing/curve_annealer.h"
#include "placer/starts/slicing_dp.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("rows are legal, and no faster than what slicing can do") {
  const Problem problem = test::medium_problem(7, Weights{}, 9);
  const ShapeLibrary library(problem);
  const auto order = topological_order(problem);
  int fits = 0;
  for (std::int64_t time = 1; time < 200; time += 3) {
    const ShapesAtTime shapes = library.at(time);
    const bool sliced = slicing_dp(library, shapes, order).has_value();
    for (const RowPattern pattern :
         {RowPattern{0, false}, RowPattern{2, false}, RowPattern{3, true}}) {
      INFO("time ", time, " rows ", pattern.rows, " columns ", pattern.columns);
      const auto tree = row_dp(library, shapes, order, pattern);
      if (!tree) continue;
      ++fits;
      CHECK(sliced);
      const auto placement = lay_out(library, shapes, *tree);
      REQUIRE(placement.has_value());
      CHECK(test::violations(problem, *placement) == 0);
      CHECK(score(problem, *placement).time <= time);
    }
  }
  CHECK(fits > 10);
}

TEST_CASE("the number of rows is kept, and every other row runs backwards") {
  // Six layers of 2×3 tiles (c = 1, k = 1) on 9×4 tiles: three to a row, two rows.
  const Problem problem(test::problem_data(std::vector<KernelFormal>(6, test::dense(1, 1)),
                                           test::chain(6), Wafer{9, 4}));
  const ShapeLibrary library(problem);
  const auto order = topological_order(problem);
  const ShapesAtTime shapes = library.at(1);
  const auto tree = row_dp(library, shapes, order, RowPattern{2, false});
  REQUIRE(tree.has_value());
  const auto placement = lay_out(library, shapes, *tree);
  REQUIRE(placement.has_value());
  CHECK(placement->kernels[2].x == placement->kernels[3].x);
  CHECK(placement->kernels[0].x == placement->kernels[5].x);
  CHECK_FALSE(row_dp(library, shapes, order, RowPattern{1, false}).has_value());
}

}  // namespace
}  // namespace waferloom::placer
