#include "placer/annealing/tree_rectangles.h"

#include <doctest/doctest.h>

#include "placer/annealing/tree_moves.h"
#include "placer/search/random_stream.h"

namespace waferloom::placer {
namespace {

TEST_CASE("a row of two under a third: sizes and centres") {
  //  +-----+
  //  |  2  |   2 is 5×1
  //  +--+--+
  //  |0 |1 |   0 is 3×4, 1 is 4×2: the row is 7×4, 2 stands in its middle
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2});
  TreeRectangles rectangles(tree, {{3, 4}, {4, 2}, {5, 1}});
  CHECK(rectangles.size(3) == PieceSize{7, 4});
  CHECK(rectangles.size(tree.root()) == PieceSize{7, 5});
  std::vector<DoubledCentre> centres(3);
  rectangles.lay_out(tree, centres);
  CHECK(centres[0].x == 3);
  CHECK(centres[0].y == 4);
  CHECK(centres[1].x == 2 * 3 + 4);
  CHECK(centres[1].y == 2 * 1 + 2);
  CHECK(centres[2].x == 2 * 1 + 5);
  CHECK(centres[2].y == 2 * 4 + 1);
}

TEST_CASE("pieces stand low, in the middle or high in their room, and undo puts them back") {
  // A row of 3×4 and 4×2 under 5×1, as above.
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2});
  TreeRectangles rectangles(tree, {{3, 4}, {4, 2}, {5, 1}});
  std::vector<DoubledCentre> centres(3);
  rectangles.align(1, Alignment::high);
  rectangles.align(2, Alignment::low);
  rectangles.lay_out(tree, centres);
  CHECK(centres[1].y == 2 * 2 + 2);
  CHECK(centres[2].x == 5);
  rectangles.commit();
  rectangles.align(1, Alignment::low);
  rectangles.align(1, Alignment::middle);
  rectangles.undo();
  rectangles.lay_out(tree, centres);
  CHECK(centres[1].y == 2 * 2 + 2);
}

TEST_CASE("pieces are aligned as an arrangement has them") {
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2});
  TreeRectangles rectangles(tree, {{3, 4}, {4, 2}, {5, 1}});
  for (const std::int64_t low : {0, 1, 2}) {
    for (const std::int64_t left : {0, 1, 2}) {
      INFO("low ", low, ", left ", left);
      rectangles.align_like(tree, {{10, 20, 3, 4}, {13, 20 + low, 4, 2}, {10 + left, 24, 5, 1}});
      std::vector<DoubledCentre> centres(3);
      rectangles.lay_out(tree, centres);
      CHECK(centres[1].y == 2 * low + 2);
      CHECK(centres[2].x == 2 * left + 5);
    }
  }
}

TEST_CASE("sizes stay right through moves and reshapes; undo is the identity") {
  const std::uint64_t seed = 21;
  INFO("seed ", seed);
  RandomStream random({seed, 0, 0});
  const std::vector<std::vector<KernelIndex>> neighbours(7);
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3, 4, 5, 6});
  std::vector<PieceSize> leaves(7, PieceSize{3, 5});
  TreeRectangles rectangles(tree, leaves);
  for (int round = 0; round < 3000; ++round) {
    INFO("round ", round);
    const PieceSize before = rectangles.size(tree.root());
    const auto leaf = static_cast<SlicingTree::Node>(random.below(7));
    if (random.coin()) {
      rectangles.set_leaf(leaf, PieceSize{1 + static_cast<int>(random.below(9)),
                                          1 + static_cast<int>(random.below(9))});
    } else {
      propose_tree_move(tree, neighbours, random);
    }
    rectangles.update(tree);
    REQUIRE_NOTHROW(rectangles.check(tree));
    if (random.coin()) {
      tree.undo();
      rectangles.undo();
      REQUIRE(rectangles.size(tree.root()) == before);
    } else {
      tree.commit();
      rectangles.commit();
    }
    REQUIRE_NOTHROW(rectangles.check(tree));
  }
}

}  // namespace
}  // namespace waferloom::placer
