#include "placer/tree_moves.h"

namespace waferloom {
namespace {

using Node = SlicingTree::Node;

Node random_leaf(const SlicingTree& tree, RandomStream& random) {
  return static_cast<Node>(random.below(static_cast<std::size_t>(tree.leaf_count())));
}

Node random_inner(const SlicingTree& tree, RandomStream& random) {
  return tree.leaf_count() +
         static_cast<Node>(random.below(static_cast<std::size_t>(tree.leaf_count() - 1)));
}

/// The node itself or one of its near ancestors, each step up with probability 1/4.
Node climb(const SlicingTree& tree, Node node, RandomStream& random) {
  while (random.below(4) == 0 && tree.at(node).parent != SlicingTree::kNone) {
    node = tree.at(node).parent;
  }
  return node;
}

void exchange(SlicingTree& tree, RandomStream& random) {
  const Node a = climb(tree, random_leaf(tree, random), random);
  const Node b = climb(tree, random_leaf(tree, random), random);
  if (a == b || tree.is_above(a, b) || tree.is_above(b, a)) return;
  tree.swap_nodes(a, b);
}

void transplant(SlicingTree& tree, const Neighbours& neighbours, RandomStream& random) {
  const Node leaf = random_leaf(tree, random);
  const auto& connected = neighbours[static_cast<std::size_t>(leaf)];
  Node target = random_leaf(tree, random);
  if (!connected.empty() && random.coin()) {
    target = static_cast<Node>(connected[random.below(connected.size())]);
  }
  const Node node = climb(tree, leaf, random);
  target = climb(tree, target, random);
  const Node parent = tree.at(node).parent;
  if (parent == SlicingTree::kNone || target == parent || tree.is_above(node, target)) return;
  const Cut cut = random.coin() ? Cut::stacked : Cut::side_by_side;
  tree.move(node, SlicingTree::Graft{target, cut, random.coin()});
}

}  // namespace

void propose_tree_move(SlicingTree& tree, const Neighbours& neighbours, RandomStream& random) {
  if (tree.leaf_count() < 2) return;
  const std::uint32_t kind = random.below(20);
  if (kind < 6) {
    exchange(tree, random);
  } else if (kind < 15) {
    transplant(tree, neighbours, random);
  } else if (kind < 18) {
    const Node inner = random_inner(tree, random);
    tree.set_cut(inner, other_cut(tree.at(inner).cut));
  } else {
    tree.swap_children(random_inner(tree, random));
  }
}

}  // namespace waferloom
