#include "placer/tree_rectangles.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace waferloom {

TreeRectangles::TreeRectangles(const SlicingTree& tree, std::vector<PieceSize> leaves)
    : sizes_(std::move(leaves)) {
  sizes_.resize(static_cast<std::size_t>(tree.node_count()));
  corner_.resize(sizes_.size());
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

void TreeRectangles::compute_all(const SlicingTree& tree) {
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

void TreeRectangles::commit() { saved_.clear(); }

void TreeRectangles::undo() {
  for (std::size_t i = saved_.size(); i-- > 0;) {
    sizes_[static_cast<std::size_t>(saved_[i].node)] = saved_[i].size;
  }
  saved_.clear();
  changed_leaves_.clear();
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
    if (links.cut == Cut::stacked) {
      left = Corner{corner.x + (whole.width - a.width) / 2, corner.y};
      right = Corner{corner.x + (whole.width - b.width) / 2, corner.y + a.height};
    } else {
      left = Corner{corner.x, corner.y + (whole.height - a.height) / 2};
      right = Corner{corner.x + a.width, corner.y + (whole.height - b.height) / 2};
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

}  // namespace waferloom
