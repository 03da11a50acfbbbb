#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/wafer.h"
#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/wire.h"

namespace waferloom::placer {

/// Tiles of a piece of a slicing tree.
struct PieceSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
  bool operator==(const PieceSize&) const = default;
};

/// Where a piece stands in room that is longer than it, across its parent's cut.
enum class Alignment : std::uint8_t { low, middle, high };

/// Sizes of all nodes of a slicing tree with rigid leaves, kept up to date move by move, and the
/// positions that follow from them and from the pieces' alignments, in the middle at first.
/// Transactional like SlicingTree: undo() takes back all since commit().
class TreeRectangles {
 public:
  using Node = SlicingTree::Node;

  TreeRectangles(const SlicingTree& tree, std::vector<PieceSize> leaves);

  const PieceSize& size(Node node) const { return sizes_[static_cast<std::size_t>(node)]; }
  /// Changes a leaf; update() must follow.
  void set_leaf(Node leaf, const PieceSize& size);
  /// Recomputes what the tree's touched nodes and the changed leaves make stale. O(stale).
  void update(const SlicingTree& tree);
  void align(Node node, Alignment alignment);
  /// By node.
  const std::vector<Alignment>& alignments() const { return alignments_; }
  /// Aligns all pieces, for good.
  void align_all(std::vector<Alignment> alignments);
  /// Aligns all pieces, for good, as they are most nearly in an arrangement of the leaves that the
  /// tree fits. O(n).
  void align_like(const SlicingTree& tree, const std::vector<Rectangle>& leaves);
  void commit();
  void undo();

  /// Centres of the leaves, every piece aligned in the room that its siblings leave, relative to
  /// the lower left corner of the whole. O(n).
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
  struct Turned {
    Node node;
    Alignment alignment;
  };
  /// Inner nodes, all before their children.
  std::vector<Node> downwards(const SlicingTree& tree);
  static std::int32_t offset(Alignment alignment, std::int32_t slack);
  PieceSize joined(const SlicingTree& tree, Node inner) const;
  void write(Node node, const PieceSize& size);
  void climb(const SlicingTree& tree, Node from);
  void compute_all(const SlicingTree& tree);

  std::vector<PieceSize> sizes_;
  std::vector<Alignment> alignments_;
  std::vector<Saved> saved_;
  std::vector<Turned> turned_;
  std::vector<Node> changed_leaves_;
  std::vector<Corner> corner_;  ///< scratch
  std::vector<Node> open_;      ///< scratch
};

}  // namespace waferloom::placer
