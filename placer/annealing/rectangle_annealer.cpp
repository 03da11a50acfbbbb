#include "placer/annealing/rectangle_annealer.h"

#include <algorithm>
#include <span>

#include "model/placement.h"
#include "placer/annealing/rigid_shapes.h"
#include "placer/annealing/tree_moves.h"
#include "placer/annealing/tree_rectangles.h"

namespace waferloom::placer {
namespace {

/// The state of one run: tree, shapes, time cap and cost, moved and taken back together.
class RectangleSearch {
 public:
  RectangleSearch(const ShapeLibrary& library, const RectangleAnnealStart& start)
      : problem_(library.problem()),
        tree_(start.tree),
        shapes_(library, start.placement),
        rectangles_(tree_, shapes_.sizes()),
        wire_(problem_),
        centres_(problem_.kernel_count()) {
    const CostModel costs(problem_);
    per_time_ = static_cast<double>(costs.per_time());
    per_adapter_ = static_cast<double>(costs.per_adapter());
    const Wafer& wafer = problem_.wafer();
    price_ = OverflowPrice(per_time_ * static_cast<double>(shapes_.time()),
                           std::min(wafer.width, wafer.height), wire_.per_unit());
    rectangles_.align_like(tree_, rectangles(problem_, start.placement));
    evaluate(kAnyChange);
    held_ = proposed_;
  }

  double cost() const { return held_.cost(); }
  bool fits() const { return held_.overflow == 0; }

  /// Tries one move: its change of cost if that is at most `most`. keep() or take_back() follows.
  std::optional<double> propose(RandomStream& random, double most) {
    constexpr std::uint32_t kTreeLots = 50;
    constexpr std::uint32_t kAlignmentLots = 8;
    const std::uint32_t lot = random.below(kTreeLots + RigidShapes::kLots + kAlignmentLots);
    if (lot >= kTreeLots + RigidShapes::kLots) {
      return propose_alignment(random, most);
    }
    if (lot < kTreeLots) {
      propose_tree_move(tree_, shapes_.neighbours(), random);
    } else if (!shapes_.propose(lot - kTreeLots, random)) {
      return std::nullopt;
    }
    if (tree_.touched().empty() && !shapes_.changed()) return std::nullopt;
    for (const KernelIndex kernel : shapes_.resized()) {
      rectangles_.set_leaf(static_cast<SlicingTree::Node>(kernel), shapes_.size(kernel));
    }
    rectangles_.update(tree_);
    return evaluate_change(most);
  }
  double wire_change() const { return proposed_.wire - held_.wire; }
  /// To be called once a move.
  void count_state(double fraction) { price_.count(fits(), fraction); }
  void keep() {
    tree_.commit();
    rectangles_.commit();
    shapes_.commit();
    held_ = proposed_;
  }
  void take_back() {
    tree_.undo();
    rectangles_.undo();
    shapes_.undo();
  }

  /// The tree and the shapes as they stand, enough to lay them out again.
  struct Snapshot {
    SlicingTree tree;
    RigidShapes::Snapshot shapes;
    std::vector<Alignment> alignments;
  };
  Snapshot snapshot() const {
    return Snapshot{tree_, shapes_.snapshot(), rectangles_.alignments()};
  }

  Placement placement(const Snapshot& snapshot) {
    shapes_.restore(snapshot.shapes);
    Placement placement = shapes_.executions();
    TreeRectangles rectangles(snapshot.tree, shapes_.sizes());
    rectangles.align_all(snapshot.alignments);
    std::vector<DoubledCentre> centres(placement.kernels.size());
    rectangles.lay_out(snapshot.tree, centres);
    for (KernelIndex i = 0; i < centres.size(); ++i) {
      placement.kernels[i].x = (centres[i].x - shapes_.size(i).width) / 2;
      placement.kernels[i].y = (centres[i].y - shapes_.size(i).height) / 2;
    }
    return placement;
  }

 private:
  /// Moves a piece, or one that it belongs to, to another end or the middle of its room.
  std::optional<double> propose_alignment(RandomStream& random, double most) {
    auto node = static_cast<SlicingTree::Node>(random.below(problem_.kernel_count()));
    while (random.coin() && tree_.at(node).parent != SlicingTree::kNone) {
      node = tree_.at(node).parent;
    }
    const auto held =
        static_cast<std::uint32_t>(rectangles_.alignments()[static_cast<std::size_t>(node)]);
    rectangles_.align(node, static_cast<Alignment>((held + 1 + random.below(2)) % 3));
    return evaluate_change(most);
  }

  std::optional<double> evaluate_change(double most) {
    const double held = held_.cost(price_);
    if (!evaluate(held + most)) return std::nullopt;
    return proposed_.cost(price_) - held;
  }

  /// Prices the rectangles as they stand, if they cost at most `most`.
  bool evaluate(double most) {
    const PieceSize& whole = rectangles_.size(tree_.root());
    proposed_.overflow = std::max<std::int64_t>(0, whole.width - problem_.wafer().width) +
                         std::max<std::int64_t>(0, whole.height - problem_.wafer().height);
    proposed_.time = per_time_ * static_cast<double>(shapes_.time());
    proposed_.wire = 0;
    if (proposed_.cost(price_) > most) return false;
    rectangles_.lay_out(tree_, centres_);
    proposed_.wire = wire_.cost(centres_) + per_adapter_ * static_cast<double>(shapes_.adapters());
    return proposed_.cost(price_) <= most;
  }

  const Problem& problem_;
  SlicingTree tree_;
  RigidShapes shapes_;
  TreeRectangles rectangles_;
  Wire wire_;
  std::vector<DoubledCentre> centres_;
  double per_time_ = 0;
  double per_adapter_ = 0;
  OverflowPrice price_{0};
  AnnealState held_;
  AnnealState proposed_;
};

}  // namespace

std::optional<RectangleAnnealResult> anneal_rectangles(const ShapeLibrary& library,
                                                       const RectangleAnnealStart& start,
                                                       const AnnealBudget& budget,
                                                       const Cooling& cooling,
                                                       RandomStream& random) {
  RectangleSearch search(library, start);
  const auto best = anneal(search, budget, cooling, random);
  if (!best.snapshot) return std::nullopt;
  return RectangleAnnealResult{best.snapshot->tree, search.placement(*best.snapshot), best.moves};
}

}  // namespace waferloom::placer
