#include "placer/annealing/slicing_recovery.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "placer/annealing/curve_annealer.h"
#include "placer/starts/rows/row_dp.h"
#include "tests/placer/starts/constrained_cases.h"

namespace waferloom::placer {
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

/// Whether two trees are the same, node by node.
bool same(const SlicingTree& a, const SlicingTree& b) {
  if (a.node_count() != b.node_count() || a.root() != b.root()) return false;
  for (SlicingTree::Node node = 0; node < a.node_count(); ++node) {
    if (!(a.at(node) == b.at(node))) return false;
  }
  return true;
}

TEST_CASE("where a placement is slicing the nearest tree is the recovered one") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed ", seed);
    const std::size_t kernels = 1 + seed % 11;
    const Problem problem = test::medium_problem(kernels, Weights{}, seed);
    const ShapeLibrary library(problem);
    const ShapesAtTime shapes = library.at(test::roomy_time(library));
    std::vector<SlicingTree::Node> leaves(kernels);
    std::iota(leaves.begin(), leaves.end(), 0);
    std::reverse(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(kernels / 2));
    const auto placement = lay_out(library, shapes, SlicingTree(leaves));
    if (!placement) continue;
    const auto recovered = recover_slicing_tree(problem, *placement);
    REQUIRE(recovered.has_value());
    CHECK_NOTHROW(recovered->check());
    CHECK(same(nearest_slicing_tree(problem, *placement), *recovered));
  }
}

TEST_CASE("any arrangement has a nearest tree") {
  test::Draw draw(8);
  for (int round = 0; round < 100; ++round) {
    INFO("round ", round);
    const auto kernels = static_cast<std::size_t>(draw.between(1, 12));
    const Problem problem = test::medium_problem(kernels, Weights{}, 8);
    const ShapeLibrary library(problem);
    Placement placement = test::scattered(library, test::roomy_time(library), draw);
    if (round % 4 == 0) {  // one on the other
      for (PlacedKernel& kernel : placement.kernels) kernel.x = kernel.y = 7;
    }
    const SlicingTree tree = nearest_slicing_tree(problem, placement);
    CHECK_NOTHROW(tree.check());
    CHECK(tree.leaf_count() == static_cast<SlicingTree::Node>(kernels));
    CHECK(recover_slicing_tree(problem, placement).has_value() >=
          (test::violations(problem, placement) == 0 && kernels < 5));  // no pinwheel
  }
}

TEST_CASE("two that overlap a little are parted where they overlap least") {
  const Problem problem(
      test::problem_data({test::dense(3, 2), test::dense(3, 2)}, {{0, 1}}, Wafer{20, 20}));
  Execution flat;  // c 1, k 2: 6 wide, 2 high
  flat.c[0] = 1;
  flat.k[0] = 2;
  Placement placement{{PlacedKernel{flat, 5, 1, false}, PlacedKernel{flat, 0, 0, false}}};
  CHECK_FALSE(recover_slicing_tree(problem, placement).has_value());
  const auto nearest = [&] { return nearest_slicing_tree(problem, placement); };
  CHECK(nearest().at(nearest().root()) ==
        SlicingTree::Links{SlicingTree::kNone, 1, 0, Cut::side_by_side});
  placement.kernels[0].x = 2;  // 4 columns shared, and one row
  CHECK(nearest().at(nearest().root()) ==
        SlicingTree::Links{SlicingTree::kNone, 1, 0, Cut::stacked});
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
  const SlicingTree nearest = nearest_slicing_tree(problem, placement);
  CHECK_NOTHROW(nearest.check());
  CHECK(nearest.leaf_count() == 5);
}

}  // namespace
}  // namespace waferloom::placer
