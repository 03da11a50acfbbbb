#pragma once

#include <span>
#include <utility>
#include <vector>

#include "placer/annealing/slicing_tree.h"

namespace waferloom::placer {

/// Builds a slicing tree from pieces in rows: balanced subtrees of one cut.
class RowTree {
 public:
  using Node = SlicingTree::Node;

  explicit RowTree(std::size_t leaves) : links_(2 * leaves - 1), next_(static_cast<Node>(leaves)) {}

  /// One node over all pieces (at least one), in their order.
  Node join(std::span<const Node> pieces, Cut cut) {
    if (pieces.size() == 1) return pieces.front();
    const Node left = join(pieces.first(pieces.size() / 2), cut);
    const Node right = join(pieces.subspan(pieces.size() / 2), cut);
    const Node node = next_++;
    links_[static_cast<std::size_t>(node)] =
        SlicingTree::Links{SlicingTree::kNone, left, right, cut};
    links_[static_cast<std::size_t>(left)].parent = node;
    links_[static_cast<std::size_t>(right)].parent = node;
    return node;
  }
  SlicingTree tree() && { return SlicingTree(std::move(links_)); }

 private:
  std::vector<SlicingTree::Links> links_;
  Node next_;
};

}  // namespace waferloom::placer
