#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"
#include "placer/shapes/wire.h"

namespace waferloom::placer {

/// Where a leaf of a slicing tree lies.
struct LeafRoom {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t width = 0;
  std::int32_t height = 0;
};

/// The shape curves of all nodes of a slicing tree, kept up to date move by move. Every leaf can
/// take any shape of its kernel; a node's curve says what rectangle its subtree needs. Sides up to
/// an eighth beyond the wafer are known, so that an annealer can look past the edge.
///
/// Inner nodes hold a curve as "height by width" and as "width by height"; one is the sum of the
/// children's, the other its inverse, computed only when a parent of the other cut asks. Each node
/// has two buffers: a transaction writes the spare ones, undo() turns back.
class TreeCurves {
 public:
  using Node = SlicingTree::Node;

  TreeCurves(const ShapeLibrary& library, const ShapesAtTime& shapes, const SlicingTree& tree);
  TreeCurves(const TreeCurves&) = delete;  // held_ points into its own buffers
  TreeCurves& operator=(const TreeCurves&) = delete;

  /// Recomputes all nodes under other shapes; ends the open transaction (commits).
  void rebuild(const ShapesAtTime& shapes, const SlicingTree& tree);
  /// Brings the curves up to date after `tree.touched()` changed. O(touched · depth · side).
  void update(const SlicingTree& tree);
  void commit() { flipped_.clear(); }
  void undo();

  /// Least height of the whole tree at the wafer's width; kUnreachable if beyond the margin.
  Side height_at_wafer_width(const SlicingTree& tree) const;
  /// Rectangles of all leaves within the wafer's width and `height` ≥ height_at_wafer_width, every
  /// piece in the middle of the room that it leaves: neighbours of unequal size keep their centres
  /// level. O(n).
  void lay_out(const SlicingTree& tree, Side height, std::span<LeafRoom> leaves) const;
  /// Twice the centres of the same rectangles.
  void lay_out(const SlicingTree& tree, Side height, std::span<DoubledCentre> leaves) const;

  /// Throws std::logic_error unless every curve equals one recomputed from nothing.
  void check(const SlicingTree& tree) const;

 private:
  enum Form : std::uint8_t { kHeightByWidth = 0, kWidthByHeight = 1 };
  static constexpr Form inverse(Form form) {
    return form == kHeightByWidth ? kWidthByHeight : kHeightByWidth;
  }
  static constexpr Form form_of(Cut cut) {
    return cut == Cut::stacked ? kHeightByWidth : kWidthByHeight;
  }
  struct Stale {
    std::int32_t depth;  ///< 0 above the root, less below
    Node node;
  };
  struct Room {
    std::int32_t x, y;
    Side width, height;
  };
  struct State {
    std::uint8_t buffer = 0;                              ///< the one in use
    bool valid[2][2] = {{false, false}, {false, false}};  ///< [buffer][form]
  };

  std::size_t length(Form form) const { return form == kHeightByWidth ? width_ + 1 : height_ + 1; }
  std::span<Side> storage(Node inner, std::uint8_t buffer, Form form);
  /// The curve in use, as long as length(form); only valid after ready().
  const Side* curve(Node node, Form form) const {
    return held_[static_cast<std::size_t>(node) * 2 + form];
  }
  std::span<const Side> ready(Node node, Form form);
  /// Makes the other buffer of an inner node the one in use.
  void flip(Node inner);
  template <typename Leaf>
  void lay_out_as(const SlicingTree& tree, Side height, std::span<Leaf> leaves) const;
  void set_leaves(const ShapesAtTime& shapes);
  void compute(const SlicingTree& tree, Node inner);
  /// compute() into the spare buffer, unless the curve comes out as it was; whether it differs.
  bool recompute(const SlicingTree& tree, Node inner);
  void compute_all(const SlicingTree& tree);

  const ShapeLibrary* library_;
  std::size_t leaf_count_ = 0;
  std::size_t width_ = 0;   ///< largest known width
  std::size_t height_ = 0;  ///< largest known height
  std::size_t stride_ = 0;
  std::vector<Side> leaf_curves_;  ///< by type and form
  std::vector<Side> inner_curves_;
  std::vector<State> states_;      ///< by inner node
  std::vector<const Side*> held_;  ///< curve(), by node and form
  std::vector<Node> flipped_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
  std::vector<Stale> order_;
  mutable std::vector<Room> room_;  ///< scratch of lay_out
  mutable std::vector<Node> open_;  ///< scratch of lay_out
};

}  // namespace waferloom::placer
