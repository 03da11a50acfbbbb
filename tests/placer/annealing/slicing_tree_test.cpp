#include "placer/annealing/slicing_tree.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "placer/annealing/tree_moves.h"
#include "placer/search/random_stream.h"

namespace waferloom::placer {
namespace {

std::vector<SlicingTree::Links> links_of(const SlicingTree& tree) {
  std::vector<SlicingTree::Links> links;
  for (SlicingTree::Node node = 0; node < tree.node_count(); ++node) links.push_back(tree.at(node));
  return links;
}

TEST_CASE("a balanced tree holds every leaf once") {
  for (const std::size_t leaves : {1U, 2U, 3U, 7U, 8U}) {
    std::vector<SlicingTree::Node> order(leaves);
    for (std::size_t i = 0; i < leaves; ++i) order[i] = static_cast<SlicingTree::Node>(i);
    const SlicingTree tree(order);
    CHECK_NOTHROW(tree.check());
    CHECK(tree.node_count() == static_cast<SlicingTree::Node>(2 * leaves - 1));
  }
}

TEST_CASE("moving a leaf takes its cut along") {
  // (0 | 1) over … of four leaves: node 4 = 0|1, 5 = 2|3, 6 = 4/5
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3});
  tree.move(0, SlicingTree::Graft{3, Cut::stacked, true});
  CHECK_NOTHROW(tree.check());
  CHECK(tree.at(1).parent == 6);
  CHECK(tree.at(4) == SlicingTree::Links{5, 0, 3, Cut::stacked});
  CHECK(tree.at(5).right == 4);
  tree.undo();
  CHECK(tree.at(4).left == 0);
  CHECK(tree.at(4).right == 1);
}

TEST_CASE("moving next to the root makes the moved cut the root, and undo brings it back") {
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3});
  tree.move(2, SlicingTree::Graft{tree.root(), Cut::side_by_side, false});
  CHECK_NOTHROW(tree.check());
  CHECK(tree.root() == 5);
  tree.undo();
  CHECK_NOTHROW(tree.check());
  CHECK(tree.root() == 6);
}

TEST_CASE("a tree whose links disagree is refused") {
  std::vector<SlicingTree::Links> links(3);
  links[2] = SlicingTree::Links{SlicingTree::kNone, 0, 1, Cut::stacked};
  links[0].parent = 2;
  links[1].parent = 0;
  CHECK_THROWS_AS(SlicingTree{links}, std::logic_error);
}

TEST_CASE("random moves keep a tree; undo is the identity, commit keeps the change") {
  const std::uint64_t seed = 11;
  INFO("seed ", seed);
  RandomStream random({seed, 0, 0});
  std::vector<std::vector<KernelIndex>> neighbours(9);
  for (std::size_t i = 0; i + 1 < 9; ++i) {
    neighbours[i].push_back(i + 1);
    neighbours[i + 1].push_back(i);
  }
  SlicingTree tree(std::vector<SlicingTree::Node>{0, 1, 2, 3, 4, 5, 6, 7, 8});
  int changed = 0;
  for (int round = 0; round < 3000; ++round) {
    INFO("round ", round);
    const auto before = links_of(tree);
    propose_tree_move(tree, neighbours, random);
    REQUIRE_NOTHROW(tree.check());
    const bool moved = links_of(tree) != before;
    changed += moved ? 1 : 0;
    if (moved) CHECK_FALSE(tree.touched().empty());
    if (random.coin()) {
      tree.undo();
      REQUIRE(links_of(tree) == before);
    } else {
      tree.commit();
    }
    REQUIRE(tree.touched().empty());
  }
  CHECK(changed > 2000);
}

}  // namespace
}  // namespace waferloom::placer
