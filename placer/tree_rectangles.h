#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "placer/slicing_tree.h"
#include "placer/wire.h"

namespace waferloom {

/// Tiles of a piece of a slicing tree.
struct PieceSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool operator==(const PieceSize&) const = default;
};

/// Sizes of all nodes of a slicing tree with rigid leaves, kept up to date move by move, and the
/// positions that follow. Transactional like SlicingTree: undo() takes back all since commit().
class TreeRectangles {
 public:
  using Node = SlicingTree::Node;

  TreeRectangles(const SlicingTree& tree, std::vector<PieceSize> leaves);

  const PieceSize& size(Node node) const { return sizes_[static_cast<std::size_t>(node)]; }
  /// Changes a leaf; update() must follow.
  void set_leaf(Node leaf, const PieceSize& size);
  /// Recomputes what the tree's touched nodes and the changed leaves make stale. O(stale).
  void update(const SlicingTree& tree);
  void commit();
  void undo();

  /// Centres of the leaves, every piece in the middle of the room that its siblings leave,
  /// relative to the lower left corner of the whole. O(n).
  void lay_out(const SlicingTree& tree, std::span<DoubledCentre> centres);

  /// Throws std::logic_error unless all sizes equal those recomputed from nothing.
  void check(const SlicingTree& tree) const;

 private:
  struct Corner {  ///< lower left
    std::int32_t x = 0;
    std::int32_t y = 0;
  };
  struct Saved {
    Node node;
    PieceSize size;
  };
  PieceSize joined(const SlicingTree& tree, Node inner) const;
  void write(Node node, const PieceSize& size);
  void climb(const SlicingTree& tree, Node from);
  void compute_all(const SlicingTree& tree);

  std::vector<PieceSize> sizes_;
  std::vector<Saved> saved_;
  std::vector<Node> changed_leaves_;
  std::vector<Corner> corner_;  ///< scratch
  std::vector<Node> open_;      ///< scratch
};

}  // namespace waferloom
