#pragma once

#include <cstdint>
#include <vector>

namespace waferloom::placer {

/// How an inner node of a slicing tree divides its rectangle.
enum class Cut : std::uint8_t {
  side_by_side,  ///< left child to the left of the right child
  stacked        ///< left child below the right child
};
constexpr Cut other_cut(Cut cut) { return cut == Cut::stacked ? Cut::side_by_side : Cut::stacked; }

/// A slicing tree over n ≥ 1 leaves: leaf i is kernel i, inner nodes are n … 2n − 2.
/// Moves are transactions: they journal what they change, and undo() takes back everything since
/// the last commit(). check() recomputes the invariants.
class SlicingTree {
 public:
  using Node = std::int32_t;
  static constexpr Node kNone = -1;

  struct Links {
    Node parent = kNone;
    Node left = kNone;
    Node right = kNone;
    Cut cut = Cut::side_by_side;
    bool operator==(const Links&) const = default;
  };

  /// A balanced tree over the leaves in the given order, alternating cuts.
  explicit SlicingTree(const std::vector<Node>& leaf_order);
  /// A tree given by its links; inner nodes in any arrangement.
  explicit SlicingTree(std::vector<Links> links);

  Node leaf_count() const { return leaf_count_; }
  Node node_count() const { return 2 * leaf_count_ - 1; }
  Node root() const { return root_; }
  bool is_leaf(Node node) const { return node < leaf_count_; }
  const Links& at(Node node) const { return links_[static_cast<std::size_t>(node)]; }
  /// Whether `ancestor` is `node` or above it. O(depth).
  bool is_above(Node ancestor, Node node) const;

  /// Exchanges the places of two nodes neither of which is above the other.
  void swap_nodes(Node a, Node b);
  /// Takes `node` (not the root) with its parent cut out of the tree and puts both back above
  /// `target`, which is not in node's subtree and not its parent.
  struct Graft {
    Node target = kNone;
    Cut cut = Cut::side_by_side;
    bool node_first = false;
  };
  void move(Node node, const Graft& graft);
  void set_cut(Node inner, Cut cut);
  void swap_children(Node inner);

  /// Nodes whose links changed since the last commit, some more than once.
  const std::vector<Node>& touched() const { return touched_; }
  void commit();
  void undo();
  /// Throws std::logic_error if the links are not a tree over all leaves.
  void check() const;

 private:
  Links& write(Node node);
  struct Replacement {
    Node old_child;
    Node new_child;
  };
  void replace_child(Node parent, const Replacement& by);

  std::vector<Links> links_;
  Node leaf_count_ = 0;
  Node root_ = kNone;
  Node committed_root_ = kNone;
  std::vector<Node> touched_;
  std::vector<Links> before_;
};

}  // namespace waferloom::placer
