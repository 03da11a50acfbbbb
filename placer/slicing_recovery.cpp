#include "placer/slicing_recovery.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace waferloom {
namespace {

using Node = SlicingTree::Node;

class Recovery {
 public:
  Recovery(std::vector<Rectangle> rectangles)
      : rectangles_(std::move(rectangles)),
        links_(2 * rectangles_.size() - 1),
        next_(static_cast<Node>(rectangles_.size())) {}

  /// The root of a subtree over `pieces` (reordered at will); kNone if they cannot be sliced.
  Node slice(std::span<Node> pieces) {
    if (pieces.size() == 1) return pieces.front();
    for (const Cut cut : {Cut::side_by_side, Cut::stacked}) {
      const std::size_t left = middle_cut(pieces, cut);
      if (left == 0) continue;
      const Node node = next_++;
      const Node low = slice(pieces.first(left));
      const Node high = slice(pieces.subspan(left));
      if (low == SlicingTree::kNone || high == SlicingTree::kNone) return SlicingTree::kNone;
      links_[static_cast<std::size_t>(node)] =
          SlicingTree::Links{links_[static_cast<std::size_t>(node)].parent, low, high, cut};
      links_[static_cast<std::size_t>(low)].parent = node;
      links_[static_cast<std::size_t>(high)].parent = node;
      return node;
    }
    return SlicingTree::kNone;
  }
  std::vector<SlicingTree::Links> take_links() && { return std::move(links_); }

 private:
  std::int64_t low(Node piece, Cut cut) const {
    const Rectangle& r = rectangles_[static_cast<std::size_t>(piece)];
    return cut == Cut::side_by_side ? r.x : r.y;
  }
  std::int64_t high(Node piece, Cut cut) const {
    const Rectangle& r = rectangles_[static_cast<std::size_t>(piece)];
    return cut == Cut::side_by_side ? r.x + r.width : r.y + r.height;
  }

  /// Sorts the pieces along the cut's axis and answers how many stand before the line closest to
  /// the middle of their number that crosses no piece; 0 if every line crosses one.
  std::size_t middle_cut(std::span<Node> pieces, Cut cut) const {
    std::sort(pieces.begin(), pieces.end(), [&](Node a, Node b) {
      return low(a, cut) != low(b, cut) ? low(a, cut) < low(b, cut) : a < b;
    });
    std::size_t best = 0;
    std::int64_t reached = high(pieces.front(), cut);
    const auto off_middle = [&](std::size_t at) {
      return at * 2 > pieces.size() ? at * 2 - pieces.size() : pieces.size() - at * 2;
    };
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      if (low(pieces[i], cut) >= reached && (best == 0 || off_middle(i) < off_middle(best))) {
        best = i;
      }
      reached = std::max(reached, high(pieces[i], cut));
    }
    return best;
  }

  std::vector<Rectangle> rectangles_;
  std::vector<SlicingTree::Links> links_;
  Node next_;
};

}  // namespace

std::optional<SlicingTree> recover_slicing_tree(const Problem& problem,
                                                const Placement& placement) {
  std::vector<Rectangle> rectangles;
  std::vector<Node> pieces;
  for (KernelIndex kernel = 0; kernel < problem.kernel_count(); ++kernel) {
    rectangles.push_back(rectangle(problem.kernel(kernel), placement.kernels[kernel]));
    pieces.push_back(static_cast<Node>(kernel));
  }
  Recovery recovery(std::move(rectangles));
  if (recovery.slice(pieces) == SlicingTree::kNone) return std::nullopt;
  return SlicingTree(std::move(recovery).take_links());
}

}  // namespace waferloom
