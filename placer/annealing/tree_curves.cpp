#include "placer/annealing/tree_curves.h"

#include <algorithm>
#include <stdexcept>

#include "placer/annealing/curve_arithmetic.h"

// Problem: know what rectangle each part of a slicing tree needs after every move of an annealer.
// Idea: a leaf's curve is its kernel's front of shapes. A node's curve is the sum of its children's
// curves, along the side that its cut leaves free. Only nodes on the path from the change to the
// root are computed again. Each node has two buffers, so undo() only swaps them back.
// Source: shape curves of slicing trees (Stockmeyer 1983; Wong and Liu 1986).
// Cost: a move O(depth · side of the wafer), less where a curve comes out unchanged.
namespace waferloom::placer {

TreeCurves::TreeCurves(const ShapeLibrary& library, const ShapesAtTime& shapes,
                       const SlicingTree& tree)
    : library_(&library), leaf_count_(library.problem().kernel_count()) {
  const Wafer& wafer = library.problem().wafer();
  width_ = static_cast<std::size_t>(wafer.width + wafer.width / 8);
  height_ = static_cast<std::size_t>(wafer.height + wafer.height / 8);
  stride_ = std::max(width_, height_) + 1;
  leaf_curves_.resize(library.type_count() * 2 * stride_);
  inner_curves_.resize((leaf_count_ - 1) * 4 * stride_);
  states_.resize(leaf_count_ - 1);
  marks_.resize(static_cast<std::size_t>(tree.node_count()), 0);
  held_.resize(marks_.size() * 2);
  for (std::size_t leaf = 0; leaf < leaf_count_; ++leaf) {
    for (const Form form : {kHeightByWidth, kWidthByHeight}) {
      held_[leaf * 2 + form] = leaf_curves_.data() + (library.type_of(leaf) * 2 + form) * stride_;
    }
  }
  for (Node inner = tree.leaf_count(); inner < tree.node_count(); ++inner) {
    flip(inner);
  }
  room_.resize(marks_.size());
  rebuild(shapes, tree);
}

std::span<Side> TreeCurves::storage(Node inner, std::uint8_t buffer, Form form) {
  const std::size_t at = static_cast<std::size_t>(inner) - leaf_count_;
  return {inner_curves_.data() + ((at * 2 + buffer) * 2 + form) * stride_, length(form)};
}

std::span<const Side> TreeCurves::ready(Node node, Form form) {
  const auto at = static_cast<std::size_t>(node);
  if (at >= leaf_count_) {
    State& state = states_[at - leaf_count_];
    bool& valid = state.valid[state.buffer][form];
    if (!valid) {
      invert_curve({curve(node, inverse(form)), length(inverse(form))},
                   storage(node, state.buffer, form));
      valid = true;
    }
  }
  return {curve(node, form), length(form)};
}

void TreeCurves::flip(Node inner) {
  State& state = states_[static_cast<std::size_t>(inner) - leaf_count_];
  state.buffer ^= 1U;
  for (const Form form : {kHeightByWidth, kWidthByHeight}) {
    held_[static_cast<std::size_t>(inner) * 2 + form] = storage(inner, state.buffer, form).data();
  }
}

void TreeCurves::set_leaves(const ShapesAtTime& shapes) {
  for (std::size_t type = 0; type < shapes.curves.size(); ++type) {
    const std::vector<Side>& values = shapes.curves[type].values();
    for (const Form form : {kHeightByWidth, kWidthByHeight}) {
      Side* target = leaf_curves_.data() + (type * 2 + form) * stride_;
      for (std::size_t x = 0; x < length(form); ++x) {
        target[x] = values[std::min(x, values.size() - 1)];
      }
    }
  }
}

void TreeCurves::rebuild(const ShapesAtTime& shapes, const SlicingTree& tree) {
  set_leaves(shapes);
  compute_all(tree);
  commit();
}

void TreeCurves::compute(const SlicingTree& tree, Node inner) {
  const SlicingTree::Links& links = tree.at(inner);
  const Form form = form_of(links.cut);
  const auto left = ready(links.left, form);
  const auto right = ready(links.right, form);
  State& state = states_[static_cast<std::size_t>(inner) - leaf_count_];
  add_curves(left, right, storage(inner, state.buffer, form));
  state.valid[state.buffer][form] = true;
  state.valid[state.buffer][inverse(form)] = false;
}

bool TreeCurves::recompute(const SlicingTree& tree, Node inner) {
  State& state = states_[static_cast<std::size_t>(inner) - leaf_count_];
  const std::uint8_t before = state.buffer;
  flip(inner);
  compute(tree, inner);
  const Form form = form_of(tree.at(inner).cut);
  if (state.valid[before][form]) {
    const auto held = storage(inner, before, form);
    const auto fresh = storage(inner, state.buffer, form);
    if (std::equal(fresh.begin(), fresh.end(), held.begin())) {
      flip(inner);  // back, with the other form, which a parent may be reading
      return false;
    }
  }
  flipped_.push_back(inner);
  return true;
}

void TreeCurves::compute_all(const SlicingTree& tree) {
  std::vector<Node> open{tree.root()};
  std::vector<Node> down;
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (tree.is_leaf(node)) continue;
    down.push_back(node);
    open.push_back(tree.at(node).left);
    open.push_back(tree.at(node).right);
  }
  for (std::size_t i = down.size(); i-- > 0;) compute(tree, down[i]);
}

void TreeCurves::update(const SlicingTree& tree) {
  // Nodes above a touched one may be stale: collect each once, deepest first, and stop wherever a
  // recomputed curve comes out as it was (kernels of one type exchanged, pieces of a row permuted).
  ++mark_;
  order_.clear();
  for (const Node touched : tree.touched()) {
    for (Node node = touched; node != SlicingTree::kNone; node = tree.at(node).parent) {
      std::uint32_t& mark = marks_[static_cast<std::size_t>(node)];
      if (mark == mark_) break;
      mark = mark_;
      if (!tree.is_leaf(node)) order_.push_back(Stale{0, node});
    }
  }
  for (Stale& stale : order_) {
    for (Node up = stale.node; up != SlicingTree::kNone; up = tree.at(up).parent) --stale.depth;
  }
  std::sort(order_.begin(), order_.end(), [](const Stale& a, const Stale& b) {
    return a.depth != b.depth ? a.depth < b.depth : a.node < b.node;
  });
  ++mark_;
  for (const Node touched : tree.touched()) marks_[static_cast<std::size_t>(touched)] = mark_;
  for (const Stale& stale : order_) {
    if (marks_[static_cast<std::size_t>(stale.node)] != mark_) continue;
    const Node parent = tree.at(stale.node).parent;
    if (recompute(tree, stale.node) && parent != SlicingTree::kNone) {
      marks_[static_cast<std::size_t>(parent)] = mark_;
    }
  }
}

void TreeCurves::undo() {
  for (const Node node : flipped_) flip(node);
  flipped_.clear();
}

Side TreeCurves::height_at_wafer_width(const SlicingTree& tree) const {
  const auto wafer_width = static_cast<std::size_t>(library_->problem().wafer().width);
  const Node root = tree.root();
  if (tree.is_leaf(root) || tree.at(root).cut == Cut::stacked) {
    const Side height = curve(root, kHeightByWidth)[wafer_width];
    return height <= height_ ? height : kUnreachable;
  }
  // Non-increasing in height: the first height whose width is within the wafer.
  const std::span<const Side> widths{curve(root, kWidthByHeight), length(kWidthByHeight)};
  const auto found = std::partition_point(widths.begin(), widths.end(),
                                          [&](Side width) { return width > wafer_width; });
  return found == widths.end() ? kUnreachable : static_cast<Side>(found - widths.begin());
}

namespace {

void put(LeafRoom& leaf, const LeafRoom& tiles) { leaf = tiles; }
void put(DoubledCentre& leaf, const LeafRoom& tiles) {
  leaf = DoubledCentre{2 * tiles.x + tiles.width, 2 * tiles.y + tiles.height};
}

}  // namespace

void TreeCurves::lay_out(const SlicingTree& tree, Side height, std::span<LeafRoom> leaves) const {
  lay_out_as(tree, height, leaves);
}

void TreeCurves::lay_out(const SlicingTree& tree, Side height,
                         std::span<DoubledCentre> leaves) const {
  lay_out_as(tree, height, leaves);
}

template <typename Leaf>
void TreeCurves::lay_out_as(const SlicingTree& tree, Side height, std::span<Leaf> leaves) const {
  open_.clear();
  const Node root = tree.root();
  room_[static_cast<std::size_t>(root)] =
      Room{0, 0, static_cast<Side>(library_->problem().wafer().width), height};
  open_.push_back(root);
  while (!open_.empty()) {
    const Node node = open_.back();
    open_.pop_back();
    const Room room = room_[static_cast<std::size_t>(node)];
    if (tree.is_leaf(node)) {
      const Side tall = curve(node, kHeightByWidth)[room.width];
      const Side wide = curve(node, kWidthByHeight)[tall];
      put(leaves[static_cast<std::size_t>(node)],
          LeafRoom{room.x + (room.width - wide) / 2, room.y + (room.height - tall) / 2, wide,
                   tall});
      continue;
    }
    const SlicingTree::Links& links = tree.at(node);
    Room& left = room_[static_cast<std::size_t>(links.left)];
    Room& right = room_[static_cast<std::size_t>(links.right)];
    if (links.cut == Cut::stacked) {
      const Side left_height = curve(links.left, kHeightByWidth)[room.width];
      const Side right_height = curve(links.right, kHeightByWidth)[room.width];
      const std::int32_t y = room.y + (room.height - left_height - right_height) / 2;
      left = Room{room.x, y, room.width, left_height};
      right = Room{room.x, y + left_height, room.width, right_height};
    } else {
      const Side left_width = curve(links.left, kWidthByHeight)[room.height];
      const Side right_width = curve(links.right, kWidthByHeight)[room.height];
      const std::int32_t x = room.x + (room.width - left_width - right_width) / 2;
      left = Room{x, room.y, left_width, room.height};
      right = Room{x + left_width, room.y, right_width, room.height};
    }
    open_.push_back(links.left);
    open_.push_back(links.right);
  }
}

void TreeCurves::check(const SlicingTree& tree) const {
  std::vector<Side> sum;
  std::vector<Side> inverted;
  for (Node node = tree.leaf_count(); node < tree.node_count(); ++node) {
    const SlicingTree::Links& links = tree.at(node);
    const Form form = form_of(links.cut);
    const State& state = states_[static_cast<std::size_t>(node) - leaf_count_];
    sum.resize(length(form));
    for (std::size_t x = 0; x < sum.size(); ++x) {
      sum[x] = static_cast<Side>(
          std::min<int>(kUnreachable, curve(links.left, form)[x] + curve(links.right, form)[x]));
    }
    inverted.assign(length(inverse(form)), kUnreachable);
    for (std::size_t x = sum.size(); x-- > 0;) {
      for (std::size_t y = sum[x]; y < inverted.size(); ++y) inverted[y] = static_cast<Side>(x);
    }
    const bool inverse_right =
        !state.valid[state.buffer][inverse(form)] ||
        std::equal(inverted.begin(), inverted.end(), curve(node, inverse(form)));
    if (!std::equal(sum.begin(), sum.end(), curve(node, form)) || !inverse_right) {
      throw std::logic_error("a node's curve is stale");
    }
  }
}

}  // namespace waferloom::placer
