#include "placer/annealing/tree_curves.h"

#include <doctest/doctest.h>

#include "placer/annealing/tree_moves.h"
#include "placer/search/random_stream.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

bool apart(const std::vector<LeafRoom>& rooms) {
  std::vector<Rectangle> rectangles;
  for (const LeafRoom& r : rooms) rectangles.push_back({r.x, r.y, r.width, r.height});
  for (std::size_t i = 0; i < rectangles.size(); ++i) {
    for (std::size_t j = i + 1; j < rectangles.size(); ++j) {
      if (overlap(rectangles[i], rectangles[j])) return false;
    }
  }
  return true;
}

TEST_CASE("curves stay right through moves, and layouts are disjoint and as high as promised") {
  const std::uint64_t seed = 5;
  INFO("seed ", seed);
  const Problem problem = test::medium_problem(8, Weights{}, seed);
  const ShapeLibrary library(problem);
  const ShapesAtTime shapes = library.at(test::roomy_time(library));
  const auto neighbours = graph_neighbours(problem);
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3, 4, 5, 6, 7});
  TreeCurves curves(library, shapes, tree);
  RandomStream random({seed, 0, 0});
  std::vector<LeafRoom> rectangles(problem.kernel_count());
  int laid_out = 0;
  for (int round = 0; round < 1500; ++round) {
    INFO("round ", round);
    propose_tree_move(tree, neighbours, random);
    curves.update(tree);
    REQUIRE_NOTHROW(curves.check(tree));
    const Side height = curves.height_at_wafer_width(tree);
    if (height != kUnreachable) {
      ++laid_out;
      curves.lay_out(tree, height, std::span<LeafRoom>(rectangles));
      REQUIRE(apart(rectangles));
      for (std::size_t i = 0; i < rectangles.size(); ++i) {
        const LeafRoom& r = rectangles[i];
        REQUIRE(r.x >= 0);
        REQUIRE(r.y >= 0);
        REQUIRE(r.x + r.width <= problem.wafer().width);
        REQUIRE(r.y + r.height <= height);
        REQUIRE(fit(shapes.fronts[library.type_of(i)], Extent{r.width, r.height}).has_value());
      }
    }
    if (height == kUnreachable || random.coin()) {
      tree.undo();
      curves.undo();
    } else {
      tree.commit();
      curves.commit();
    }
    REQUIRE_NOTHROW(curves.check(tree));
  }
  CHECK(laid_out > 500);
}

}  // namespace
}  // namespace waferloom::placer
