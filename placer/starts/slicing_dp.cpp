#include "placer/starts/slicing_dp.h"

#include <algorithm>
#include <span>

#include "placer/annealing/curve_arithmetic.h"

namespace waferloom::placer {
namespace {

using Node = SlicingTree::Node;

/// Curves of all intervals of an order, packed by (first, last).
class IntervalCurves {
 public:
  IntervalCurves(const ShapeLibrary& library, const ShapesAtTime& shapes,
                 const std::vector<KernelIndex>& order, const RunControl& stop)
      : count_(order.size()),
        stride_(static_cast<std::size_t>(library.largest_side()) + 1),
        values_(count_ * (count_ + 1) / 2 * stride_),
        scratch_(stride_) {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& leaf = shapes.curves[library.type_of(order[i])].values();
      std::copy(leaf.begin(), leaf.end(), curve(i, i).begin());
    }
    for (std::size_t length = 2; length <= count_; ++length) {
      if (stop.is_cut()) return;
      for (std::size_t first = 0; first + length <= count_; ++first)
        join(first, first + length - 1);
    }
    complete_ = true;
  }

  std::size_t count() const { return count_; }
  bool complete() const { return complete_; }

  Side at(std::size_t first, std::size_t last, Side side) const {
    return values_[offset(first, last) + side];
  }

 private:
  std::size_t offset(std::size_t first, std::size_t last) const {
    return (last * (last + 1) / 2 + first) * stride_;
  }
  std::span<Side> curve(std::size_t first, std::size_t last) {
    return {values_.data() + offset(first, last), stride_};
  }

  void join(std::size_t first, std::size_t last) {
    std::span<Side> result = curve(first, last);
    std::fill(result.begin(), result.end(), kUnreachable);
    for (std::size_t middle = first; middle < last; ++middle) {
      lower_to_sum(curve(first, middle), curve(middle + 1, last), result);
    }
    // Sums beyond the wafer are of no use to anyone, and must not look reachable.
    for (Side& side : result) side = side < stride_ ? side : kUnreachable;
    invert_curve(result, scratch_);
    for (std::size_t x = 0; x < stride_; ++x) result[x] = std::min(result[x], scratch_[x]);
  }

  std::size_t count_;
  std::size_t stride_;
  std::vector<Side> values_;
  std::vector<Side> scratch_;
  bool complete_ = false;
};

/// Rebuilds a tree of the DP's optimum from its curves.
class TreeBuilder {
 public:
  TreeBuilder(const IntervalCurves& curves, const std::vector<KernelIndex>& order)
      : curves_(curves),
        order_(order),
        links_(2 * order.size() - 1),
        next_(static_cast<Node>(order.size())) {}

  SlicingTree build(Side width, Side height) {
    fill(0, curves_.count() - 1, width, height);
    return SlicingTree(std::move(links_));
  }

 private:
  /// A subtree for first … last within width × height tiles; its root.
  Node fill(std::size_t first, std::size_t last, Side width, Side height) {
    if (first == last) return static_cast<Node>(order_[first]);
    const Node node = next_++;
    for (std::size_t middle = first; middle < last; ++middle) {
      const Side left_width = curves_.at(first, middle, height);
      const Side left_height = curves_.at(first, middle, width);
      if (left_width + curves_.at(middle + 1, last, height) <= width) {
        const Node left = fill(first, middle, left_width, height);
        const Node right = fill(middle + 1, last, static_cast<Side>(width - left_width), height);
        return link(node, left, right, Cut::side_by_side);
      }
      if (left_height + curves_.at(middle + 1, last, width) <= height) {
        const Node left = fill(first, middle, width, left_height);
        const Node right = fill(middle + 1, last, width, static_cast<Side>(height - left_height));
        return link(node, left, right, Cut::stacked);
      }
    }
    return SlicingTree::kNone;  // not reached: the curve says that it fits
  }

  Node link(Node node, Node left, Node right, Cut cut) {
    links_[static_cast<std::size_t>(node)].left = left;
    links_[static_cast<std::size_t>(node)].right = right;
    links_[static_cast<std::size_t>(node)].cut = cut;
    links_[static_cast<std::size_t>(left)].parent = node;
    links_[static_cast<std::size_t>(right)].parent = node;
    return node;
  }

  const IntervalCurves& curves_;
  const std::vector<KernelIndex>& order_;
  std::vector<SlicingTree::Links> links_;
  Node next_;
};

}  // namespace

std::optional<SlicingTree> slicing_dp(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                      const std::vector<KernelIndex>& order,
                                      const RunControl& stop) {
  if (!shapes.all_exist || !slicing_dp_has_room(library)) return std::nullopt;
  const IntervalCurves curves(library, shapes, order, stop);
  if (!curves.complete()) return std::nullopt;
  const auto width = static_cast<Side>(library.problem().wafer().width);
  const auto height = static_cast<Side>(library.problem().wafer().height);
  if (curves.at(0, order.size() - 1, width) > height) return std::nullopt;
  return TreeBuilder(curves, order).build(width, height);
}

bool slicing_dp_has_room(const ShapeLibrary& library) {
  const std::size_t count = library.problem().kernel_count();
  const std::size_t bytes_a_curve =
      (static_cast<std::size_t>(library.largest_side()) + 1) * sizeof(Side);
  const std::size_t most_curves = kMostCurveBytes / bytes_a_curve;
  return count + 1 <= 2 * most_curves / count;
}

}  // namespace waferloom::placer
