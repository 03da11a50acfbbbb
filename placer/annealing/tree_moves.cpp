#include "placer/annealing/tree_moves.h"

namespace waferloom::placer {
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

/// Exchanges two pieces.
void exchange(SlicingTree& tree, Node a, Node b) {
  if (a == b || tree.is_above(a, b) || tree.is_above(b, a)) return;
  tree.swap_nodes(a, b);
}

/// Puts a piece beside another one, on a random side of it.
void transplant(SlicingTree& tree, Node node, Node target, RandomStream& random) {
  const Node parent = tree.at(node).parent;
  if (parent == SlicingTree::kNone || target == parent || tree.is_above(node, target)) return;
  const Cut cut = random.coin() ? Cut::stacked : Cut::side_by_side;
  tree.move(node, SlicingTree::Graft{target, cut, random.coin()});
}

/// A kernel connected to `leaf`, or any.
Node random_neighbour(const SlicingTree& tree, const Neighbours& neighbours, Node leaf,
                      RandomStream& random) {
  const auto& connected = neighbours[static_cast<std::size_t>(leaf)];
  if (connected.empty()) return random_leaf(tree, random);
  return static_cast<Node>(connected[random.below(connected.size())]);
}

/// Moves a piece one level up or down in the tree: beside its parent, or beside a child of its
/// sibling.
void shift_level(SlicingTree& tree, Node node, RandomStream& random) {
  const Node parent = tree.at(node).parent;
  if (parent == SlicingTree::kNone) return;
  const SlicingTree::Links& links = tree.at(parent);
  const Node sibling = links.left == node ? links.right : links.left;
  if (random.coin() && !tree.is_leaf(sibling)) {
    const SlicingTree::Links& below = tree.at(sibling);
    transplant(tree, node, random.coin() ? below.left : below.right, random);
  } else if (links.parent != SlicingTree::kNone) {
    const SlicingTree::Links& above = tree.at(links.parent);
    // Beside the parent's parent's other child, or above both.
    const Node uncle = above.left == parent ? above.right : above.left;
    transplant(tree, node, random.coin() ? uncle : links.parent, random);
  }
}

/// Mirrors what a piece and its sibling are together, in x or in y.
void mirror(SlicingTree& tree, Node top, RandomStream& random) {
  if (tree.at(top).parent != SlicingTree::kNone) top = tree.at(top).parent;
  const Cut cut = random.coin() ? Cut::stacked : Cut::side_by_side;
  std::vector<Node> open{top};
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (tree.is_leaf(node)) continue;
    if (tree.at(node).cut == cut) tree.swap_children(node);
    open.push_back(tree.at(node).left);
    open.push_back(tree.at(node).right);
  }
}

}  // namespace

void propose_tree_move(SlicingTree& tree, const Neighbours& neighbours, RandomStream& random) {
  if (tree.leaf_count() < 2) return;
  const std::uint32_t kind = random.below(100);
  const Node leaf = random_leaf(tree, random);
  const Node piece = climb(tree, leaf, random);
  if (kind < 15) {
    Node near = random_neighbour(tree, neighbours, leaf, random);
    if (random.coin()) near = random_neighbour(tree, neighbours, near, random);
    exchange(tree, piece, climb(tree, near, random));
  } else if (kind < 20) {
    const Node other = random_leaf(tree, random);
    exchange(tree, piece, climb(tree, other, random));
  } else if (kind < 55) {
    const Node near = random_neighbour(tree, neighbours, leaf, random);
    const Node target = climb(tree, near, random);
    transplant(tree, piece, target, random);
  } else if (kind < 62) {
    const Node other = random_leaf(tree, random);
    const Node target = climb(tree, other, random);
    transplant(tree, piece, target, random);
  } else if (kind < 77) {
    shift_level(tree, piece, random);
  } else if (kind < 85) {
    const Node inner = random_inner(tree, random);
    tree.set_cut(inner, other_cut(tree.at(inner).cut));
  } else if (kind < 93) {
    tree.swap_children(random_inner(tree, random));
  } else {
    mirror(tree, piece, random);
  }
}

}  // namespace waferloom::placer
