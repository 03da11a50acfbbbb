#include "placer/annealing/slicing_tree.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace waferloom::placer {
namespace {

std::size_t index(SlicingTree::Node node) { return static_cast<std::size_t>(node); }

}  // namespace

SlicingTree::SlicingTree(const std::vector<Node>& leaf_order)
    : links_(2 * leaf_order.size() - 1), leaf_count_(static_cast<Node>(leaf_order.size())) {
  std::vector<Node> level = leaf_order;
  Node next = leaf_count_;
  Cut cut = Cut::side_by_side;
  while (level.size() > 1) {
    std::vector<Node> above;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      links_[index(next)] = Links{kNone, level[i], level[i + 1], cut};
      links_[index(level[i])].parent = next;
      links_[index(level[i + 1])].parent = next;
      above.push_back(next++);
    }
    if (level.size() % 2 == 1) above.push_back(level.back());
    level = std::move(above);
    cut = other_cut(cut);
  }
  root_ = committed_root_ = level.front();
}

SlicingTree::SlicingTree(std::vector<Links> links)
    : links_(std::move(links)), leaf_count_(static_cast<Node>((links_.size() + 1) / 2)) {
  for (Node node = 0; node < node_count(); ++node) {
    if (at(node).parent == kNone) root_ = node;
  }
  committed_root_ = root_;
  check();
}

bool SlicingTree::is_above(Node ancestor, Node node) const {
  while (node != kNone && node != ancestor) node = at(node).parent;
  return node == ancestor;
}

SlicingTree::Links& SlicingTree::write(Node node) {
  touched_.push_back(node);
  before_.push_back(at(node));
  return links_[index(node)];
}

void SlicingTree::replace_child(Node parent, const Replacement& by) {
  if (parent == kNone) {
    root_ = by.new_child;
    return;
  }
  Links& links = write(parent);
  (links.left == by.old_child ? links.left : links.right) = by.new_child;
}

void SlicingTree::swap_nodes(Node a, Node b) {
  const Node parent_a = at(a).parent;
  const Node parent_b = at(b).parent;
  if (parent_a == parent_b) {
    swap_children(parent_a);
    return;
  }
  replace_child(parent_a, {.old_child = a, .new_child = b});
  replace_child(parent_b, {.old_child = b, .new_child = a});
  write(a).parent = parent_b;
  write(b).parent = parent_a;
}

void SlicingTree::move(Node node, const Graft& graft) {
  const Node joint = at(node).parent;
  const Node sibling = at(joint).left == node ? at(joint).right : at(joint).left;
  const Node above = at(joint).parent;
  replace_child(above, {.old_child = joint, .new_child = sibling});
  write(sibling).parent = above;
  const Node target_parent = at(graft.target).parent;
  replace_child(target_parent, {.old_child = graft.target, .new_child = joint});
  Links& links = write(joint);
  links.parent = target_parent;
  links.cut = graft.cut;
  links.left = graft.node_first ? node : graft.target;
  links.right = graft.node_first ? graft.target : node;
  write(graft.target).parent = joint;
}

void SlicingTree::set_cut(Node inner, Cut cut) { write(inner).cut = cut; }

void SlicingTree::swap_children(Node inner) {
  Links& links = write(inner);
  std::swap(links.left, links.right);
}

void SlicingTree::commit() {
  touched_.clear();
  before_.clear();
  committed_root_ = root_;
}

void SlicingTree::undo() {
  for (std::size_t i = touched_.size(); i-- > 0;) links_[index(touched_[i])] = before_[i];
  touched_.clear();
  before_.clear();
  root_ = committed_root_;
}

void SlicingTree::check() const {
  std::vector<bool> seen(links_.size(), false);
  std::vector<Node> open{root_};
  std::size_t count = 0;
  if (root_ == kNone || at(root_).parent != kNone) throw std::logic_error("no root");
  while (!open.empty()) {
    const Node node = open.back();
    open.pop_back();
    if (seen[index(node)]) throw std::logic_error("node reached twice");
    seen[index(node)] = true;
    ++count;
    if (is_leaf(node)) continue;
    for (const Node child : {at(node).left, at(node).right}) {
      if (child < 0 || child >= node_count()) throw std::logic_error("child out of range");
      if (at(child).parent != node) throw std::logic_error("child and parent disagree");
      open.push_back(child);
    }
  }
  if (count != links_.size()) throw std::logic_error("node out of reach");
}

}  // namespace waferloom::placer
