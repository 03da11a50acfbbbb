#include "placer/slicing_recovery.h"

#include <doctest/doctest.h>

#include "placer/curve_annealer.h"
#include "placer/row_dp.h"
#include "tests/placer/placer_cases.h"

namespace waferloom {
namespace {

TEST_CASE("a placement of rows is recovered into a tree that fits as it did") {
  const Problem problem = test::medium_problem(9, Weights{}, 2);
  const ShapeLibrary library(problem);
  const std::int64_t time = test::roomy_time(library);
  const ShapesAtTime shapes = library.at(time);
  const auto rows = row_dp(library, shapes, topological_order(problem), RowPattern{3, false});
  REQUIRE(rows.has_value());
  const auto placement = lay_out(library, shapes, *rows);
  REQUIRE(placement.has_value());
  const auto tree = recover_slicing_tree(problem, *placement);
  REQUIRE(tree.has_value());
  CHECK_NOTHROW(tree->check());
  const auto again = lay_out(library, shapes, *tree);
  REQUIRE(again.has_value());
  CHECK(test::violations(problem, *again) == 0);
}

TEST_CASE("a pinwheel has no slicing tree") {
  //  aab    five kernels around a middle; 3-wide 2-high tiles scaled: a 6×2, b 3×4 rotated …
  //  dcb
  //  d??
  const Problem problem(test::problem_data(std::vector<KernelFormal>(5, test::dense(3, 2)),
                                           test::chain(5), Wafer{20, 20}));
  Execution flat;  // c 1, k 2: 6 wide, 2 high
  flat.c[0] = 1;
  flat.k[0] = 2;
  Execution middle;  // c 3, k 1: 3 wide, 4 high
  middle.c[0] = 3;
  middle.k[0] = 1;
  Placement placement;
  placement.kernels = {PlacedKernel{flat, 0, 0, false}, PlacedKernel{flat, 6, 0, true},
                       PlacedKernel{flat, 2, 6, false}, PlacedKernel{flat, 0, 2, true},
                       PlacedKernel{middle, 2, 2, false}};
  REQUIRE(test::violations(problem, placement) == 0);
  CHECK_FALSE(recover_slicing_tree(problem, placement).has_value());
}

}  // namespace
}  // namespace waferloom
