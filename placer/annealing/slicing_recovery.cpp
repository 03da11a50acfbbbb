#include "placer/annealing/slicing_recovery.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace waferloom::placer {
namespace {

using Node = SlicingTree::Node;

class Recovery {
 public:
  /// `forced`: where no line crosses no piece, one that cuts least deep into pieces will do.
  Recovery(std::vector<Rectangle> rectangles, bool forced)
      : rectangles_(std::move(rectangles)),
        links_(2 * rectangles_.size() - 1),
        next_(static_cast<Node>(rectangles_.size())),
        forced_(forced) {}

  /// The root of a subtree over `pieces` (reordered at will); kNone if they cannot be sliced.
  Node slice(std::span<Node> pieces) {
    if (pieces.size() == 1) return pieces.front();
    for (const Cut cut : {Cut::side_by_side, Cut::stacked}) {
      const std::size_t left = middle_cut(pieces, cut);
      if (left > 0) return join(pieces, left, cut);
    }
    if (!forced_) return SlicingTree::kNone;
    const ForcedCut across = shallowest_cut(pieces, Cut::side_by_side);
    const ForcedCut along = shallowest_cut(pieces, Cut::stacked);
    if (along.depth < across.depth) return join(pieces, along.left, Cut::stacked);
    sort_along(pieces, Cut::side_by_side);
    return join(pieces, across.left, Cut::side_by_side);
  }
  std::vector<SlicingTree::Links> take_links() && { return std::move(links_); }

 private:
  struct ForcedCut {
    std::size_t left = 0;    ///< pieces before the line
    std::int64_t depth = 0;  ///< by which the two sides overlap along the axis
  };

  Node join(std::span<Node> pieces, std::size_t left, Cut cut) {
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

  /// Pieces in the order of their centres.
  void sort_along(std::span<Node> pieces, Cut cut) const {
    std::sort(pieces.begin(), pieces.end(), [&](Node a, Node b) {
      const std::int64_t centre_a = low(a, cut) + high(a, cut);
      const std::int64_t centre_b = low(b, cut) + high(b, cut);
      return centre_a != centre_b ? centre_a < centre_b : a < b;
    });
  }

  /// The cut between centres at which the two sides overlap least; of equal ones that closest to
  /// the middle.
  ForcedCut shallowest_cut(std::span<Node> pieces, Cut cut) const {
    sort_along(pieces, cut);
    std::vector<std::int64_t> lowest(pieces.size());
    lowest.back() = low(pieces.back(), cut);
    for (std::size_t i = pieces.size() - 1; i-- > 0;) {
      lowest[i] = std::min(lowest[i + 1], low(pieces[i], cut));
    }
    ForcedCut best;
    std::int64_t reached = high(pieces.front(), cut);
    const auto off_middle = [&](std::size_t at) {
      return at * 2 > pieces.size() ? at * 2 - pieces.size() : pieces.size() - at * 2;
    };
    for (std::size_t i = 1; i < pieces.size(); ++i) {
      const std::int64_t depth = reached - lowest[i];
      const bool better = best.left == 0 || depth < best.depth ||
                          (depth == best.depth && off_middle(i) < off_middle(best.left));
      if (better) best = ForcedCut{i, depth};
      reached = std::max(reached, high(pieces[i], cut));
    }
    return best;
  }

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
  bool forced_;
};

std::optional<SlicingTree> recover(const Problem& problem, const Placement& placement,
                                   bool forced) {
  std::vector<Node> pieces(problem.kernel_count());
  std::iota(pieces.begin(), pieces.end(), Node{0});
  Recovery recovery(rectangles(problem, placement), forced);
  if (recovery.slice(pieces) == SlicingTree::kNone) return std::nullopt;
  return SlicingTree(std::move(recovery).take_links());
}

}  // namespace

std::optional<SlicingTree> recover_slicing_tree(const Problem& problem,
                                                const Placement& placement) {
  return recover(problem, placement, false);
}

SlicingTree nearest_slicing_tree(const Problem& problem, const Placement& placement) {
  return *recover(problem, placement, true);
}

}  // namespace waferloom::placer
