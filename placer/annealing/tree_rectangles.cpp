#include "placer/annealing/tree_rectangles.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace waferloom::placer {

TreeRectangles::TreeRectangles(const SlicingTree& tree, std::vector<PieceSize> leaves)
    : sizes_(std::move(leaves)) {
  sizes_.resize(static_cast<std::size_t>(tree.node_count()));
  corner_.resize(sizes_.size());
  alignments_.assign(sizes_.size(), Alignment::middle);
  compute_all(tree);
}

PieceSize TreeRectangles::joined(const SlicingTree& tree, Node inner) const {
  const SlicingTree::Links& links = tree.at(inner);
  const PieceSize& a = size(links.left);
  const PieceSize& b = size(links.right);
  if (links.cut == Cut::stacked) {
    return PieceSize{std::max(a.width, b.width), a.height + b.height};
  }
  return PieceSize{a.width + b.width, std::max(a.height, b.height)};
}

std::vector<SlicingTree::Node> TreeRectangles::downwards(const SlicingTree& tree) {
  open_.assign(1, tree.root());
  std::vector<Node> down;
  while (!open_.empty()) {
    const Node node = open_.back();
    open_.pop_back();
    if (tree.is_leaf(node)) continue;
    down.push_back(node);
    open_.push_back(tree.at(node).left);
    open_.push_back(tree.at(node).right);
  }
  return down;
}

void TreeRectangles::compute_all(const SlicingTree& tree) {
  const std::vector<Node> down = downwards(tree);
  for (std::size_t i = down.size(); i-- > 0;) {
    sizes_[static_cast<std::size_t>(down[i])] = joined(tree, down[i]);
  }
}

void TreeRectangles::write(Node node, const PieceSize& size) {
  PieceSize& held = sizes_[static_cast<std::size_t>(node)];
  saved_.push_back(Saved{node, held});
  held = size;
}

void TreeRectangles::set_leaf(Node leaf, const PieceSize& size) {
  write(leaf, size);
  changed_leaves_.push_back(leaf);
}

void TreeRectangles::align(Node node, Alignment alignment) {
  Alignment& held = alignments_[static_cast<std::size_t>(node)];
  turned_.push_back(Turned{node, held});
  held = alignment;
}

void TreeRectangles::align_all(std::vector<Alignment> alignments) {
  alignments_ = std::move(alignments);
}

void TreeRectangles::align_like(const SlicingTree& tree, const std::vector<Rectangle>& leaves) {
  std::vector<Rectangle> boxes = leaves;
  boxes.resize(sizes_.size());
  const auto box = [&](Node node) -> Rectangle& { return boxes[static_cast<std::size_t>(node)]; };
  const std::vector<Node> down = downwards(tree);
  for (std::size_t i = down.size(); i-- > 0;) {
    const SlicingTree::Links& links = tree.at(down[i]);
    const Rectangle& a = box(links.left);
    const Rectangle& b = box(links.right);
    const std::int64_t x = std::min(a.x, b.x);
    const std::int64_t y = std::min(a.y, b.y);
    box(down[i]) = Rectangle{x, y, std::max(a.x + a.width, b.x + b.width) - x,
                             std::max(a.y + a.height, b.y + b.height) - y};
  }
  for (const Node node : down) {
    const SlicingTree::Links& links = tree.at(node);
    const Rectangle& whole = box(node);
    for (const Node child : {links.left, links.right}) {
      const Rectangle& own = box(child);
      const bool stacked = links.cut == Cut::stacked;
      const std::int64_t below = stacked ? own.x - whole.x : own.y - whole.y;
      const std::int64_t slack = stacked ? whole.width - own.width : whole.height - own.height;
      Alignment nearest = Alignment::middle;
      if (4 * below < slack) nearest = Alignment::low;
      if (4 * below > 3 * slack) nearest = Alignment::high;
      alignments_[static_cast<std::size_t>(child)] = nearest;
    }
  }
}

void TreeRectangles::climb(const SlicingTree& tree, Node from) {
  for (Node node = from; node != SlicingTree::kNone; node = tree.at(node).parent) {
    if (tree.is_leaf(node)) continue;
    const PieceSize fresh = joined(tree, node);
    if (fresh == size(node)) {
      if (node != from) return;
      continue;  // its own links may have changed without changing its size: its parent is as it
                 // was
    }
    write(node, fresh);
  }
}

void TreeRectangles::update(const SlicingTree& tree) {
  // Climbing from every stale node in turn ends with all right: a climb stops only where nothing
  // changes, and what changes later climbs again.
  for (const Node leaf : changed_leaves_) climb(tree, tree.at(leaf).parent);
  changed_leaves_.clear();
  for (const Node node : tree.touched()) climb(tree, node);
}

void TreeRectangles::commit() {
  saved_.clear();
  turned_.clear();
}

void TreeRectangles::undo() {
  for (std::size_t i = saved_.size(); i-- > 0;) {
    sizes_[static_cast<std::size_t>(saved_[i].node)] = saved_[i].size;
  }
  saved_.clear();
  changed_leaves_.clear();
  for (std::size_t i = turned_.size(); i-- > 0;) {
    alignments_[static_cast<std::size_t>(turned_[i].node)] = turned_[i].alignment;
  }
  turned_.clear();
}

/// How far up a piece stands in its room.
std::int32_t TreeRectangles::offset(Alignment alignment, std::int32_t slack) {
  switch (alignment) {
    case Alignment::low:
      return 0;
    case Alignment::high:
      return slack;
    case Alignment::middle:
      break;
  }
  return slack / 2;
}

void TreeRectangles::lay_out(const SlicingTree& tree, std::span<DoubledCentre> centres) {
  const Node root = tree.root();
  corner_[static_cast<std::size_t>(root)] = Corner{0, 0};
  open_.assign(1, root);
  while (!open_.empty()) {
    const Node node = open_.back();
    open_.pop_back();
    const Corner corner = corner_[static_cast<std::size_t>(node)];
    const PieceSize whole = size(node);
    if (tree.is_leaf(node)) {
      centres[static_cast<std::size_t>(node)] =
          DoubledCentre{2 * corner.x + whole.width, 2 * corner.y + whole.height};
      continue;
    }
    const SlicingTree::Links& links = tree.at(node);
    const PieceSize& a = size(links.left);
    const PieceSize& b = size(links.right);
    Corner& left = corner_[static_cast<std::size_t>(links.left)];
    Corner& right = corner_[static_cast<std::size_t>(links.right)];
    const Alignment of_left = alignments_[static_cast<std::size_t>(links.left)];
    const Alignment of_right = alignments_[static_cast<std::size_t>(links.right)];
    if (links.cut == Cut::stacked) {
      left = Corner{corner.x + offset(of_left, whole.width - a.width), corner.y};
      right = Corner{corner.x + offset(of_right, whole.width - b.width), corner.y + a.height};
    } else {
      left = Corner{corner.x, corner.y + offset(of_left, whole.height - a.height)};
      right = Corner{corner.x + a.width, corner.y + offset(of_right, whole.height - b.height)};
    }
    open_.push_back(links.left);
    open_.push_back(links.right);
  }
}

void TreeRectangles::check(const SlicingTree& tree) const {
  TreeRectangles fresh = *this;
  fresh.compute_all(tree);
  if (fresh.sizes_ != sizes_) throw std::logic_error("a node's size is stale");
}

}  // namespace waferloom::placer
