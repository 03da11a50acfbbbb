#include "placer/curve_annealer.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "model/score.h"
#include "placer/tree_curves.h"
#include "placer/tree_moves.h"

namespace waferloom {
namespace {

/// The state of one run: tree, curves and cost, moved and taken back together.
class CurveSearch {
 public:
  CurveSearch(const ShapeLibrary& library, const std::vector<ShapesAtTime>& levels,
              const CurveAnnealStart& start)
      : library_(library),
        levels_(levels),
        neighbours_(graph_neighbours(library.problem())),
        tree_(start.tree),
        level_(start.level),
        curves_(library, levels[start.level], tree_),
        rectangles_(library.problem().kernel_count()) {
    const CostModel costs(library.problem());
    per_time_ = static_cast<double>(costs.per_time());
    per_half_distance_ = static_cast<double>(costs.per_half_distance());
    const Wafer& wafer = library.problem().wafer();
    wafer_height_ = wafer.height;
    // A row too many costs what shrinking all kernels by that row would, and a little more.
    per_overflow_ = 2.0 * (per_time_ * static_cast<double>(levels[level_].time) /
                               static_cast<double>(wafer.height) +
                           per_half_distance_);
    cost_ = evaluate();
  }

  double cost() const { return cost_; }
  bool fits() const { return overflow_ == 0; }
  const SlicingTree& tree() const { return tree_; }
  std::size_t level() const { return level_; }

  /// Tries one move; keeps it if `accept(change of cost)`.
  template <typename Accept>
  void step(RandomStream& random, const Accept& accept) {
    if (levels_.size() > 1 && random.below(kMovesPerLevelMove) == 0) {
      step_level(random, accept);
      return;
    }
    propose_tree_move(tree_, neighbours_, random);
    if (tree_.touched().empty()) return;
    curves_.update(tree_);
    const std::int64_t overflow_before = overflow_;
    const double proposed = evaluate();
    if (proposed < kHopeless && accept(proposed - cost_)) {
      tree_.commit();
      curves_.commit();
      cost_ = proposed;
    } else {
      tree_.undo();
      curves_.undo();
      overflow_ = overflow_before;
    }
  }

 private:
  static constexpr double kHopeless = 1e300;
  static constexpr std::size_t kMovesPerLevelMove = 400;

  template <typename Accept>
  void step_level(RandomStream& random, const Accept& accept) {
    const std::size_t before = level_;
    const std::int64_t overflow_before = overflow_;
    level_ = random.coin() ? level_ + 1 : level_ - 1;
    if (level_ >= levels_.size()) {
      level_ = before;
      return;
    }
    curves_.rebuild(levels_[level_], tree_);
    const double proposed = evaluate();
    if (proposed < kHopeless && accept(proposed - cost_)) {
      cost_ = proposed;
      return;
    }
    level_ = before;
    overflow_ = overflow_before;
    curves_.rebuild(levels_[level_], tree_);
  }

  double evaluate() {
    const Side height = curves_.height_at_wafer_width(tree_);
    if (height == kUnreachable) {
      overflow_ = kUnreachable;
      return kHopeless;
    }
    overflow_ = std::max<std::int64_t>(0, height - wafer_height_);
    curves_.lay_out(tree_, height, rectangles_);
    std::int64_t distance = 0;
    for (const Connection& edge : library_.problem().connections()) {
      distance += half_distance(rectangles_[edge.producer], rectangles_[edge.consumer]);
    }
    return per_time_ * static_cast<double>(levels_[level_].time) +
           per_half_distance_ * static_cast<double>(distance) +
           per_overflow_ * static_cast<double>(overflow_);
  }

  const ShapeLibrary& library_;
  const std::vector<ShapesAtTime>& levels_;
  std::vector<std::vector<KernelIndex>> neighbours_;
  SlicingTree tree_;
  std::size_t level_;
  TreeCurves curves_;
  std::vector<Rectangle> rectangles_;
  double per_time_ = 0;
  double per_half_distance_ = 0;
  double per_overflow_ = 0;
  std::int64_t wafer_height_ = 0;
  std::int64_t overflow_ = 0;
  double cost_ = 0;
};

}  // namespace

std::optional<CurveAnnealResult> anneal_curves(const ShapeLibrary& library,
                                               const std::vector<ShapesAtTime>& levels,
                                               const CurveAnnealStart& start,
                                               const AnnealBudget& budget, const Cooling& cooling,
                                               RandomStream& random) {
  CurveSearch search(library, levels, start);
  std::optional<CurveAnnealResult> best;
  double best_cost = 0;
  const auto keep_best = [&] {
    if (!search.fits() || (best && search.cost() >= best_cost)) return;
    best_cost = search.cost();
    best.emplace(CurveAnnealResult{search.tree(), search.level(), 0});
  };
  keep_best();
  const double step = mean_uphill_step(search, random);
  Annealing annealing(budget, cooling, step);
  while (annealing.next()) {
    search.step(random, [&](double change) { return annealing.accepts(change, random); });
    keep_best();
  }
  if (best) best->moves = annealing.moves();
  return best;
}

std::optional<Placement> lay_out(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                 const SlicingTree& tree) {
  if (!shapes.all_exist) return std::nullopt;
  const TreeCurves curves(library, shapes, tree);
  const Side height = curves.height_at_wafer_width(tree);
  if (height > library.problem().wafer().height) return std::nullopt;
  std::vector<Rectangle> rectangles(library.problem().kernel_count());
  curves.lay_out(tree, height, rectangles);
  Placement placement;
  for (KernelIndex kernel = 0; kernel < rectangles.size(); ++kernel) {
    const Rectangle& room = rectangles[kernel];
    const auto fitted =
        fit(shapes.fronts[library.type_of(kernel)], Extent{room.width, room.height});
    if (!fitted) return std::nullopt;
    placement.kernels.push_back(
        PlacedKernel{fitted->shape.execution, room.x, room.y, fitted->rotated});
  }
  return placement;
}

std::optional<Placement> refit(const ShapeLibrary& library, const SlicingTree& tree,
                               std::int64_t fits_at) {
  const std::int64_t least = least_time(1, fits_at, [&](std::int64_t time) {
    const ShapesAtTime shapes = library.at(time);
    return shapes.all_exist && TreeCurves(library, shapes, tree).height_at_wafer_width(tree) <=
                                   library.problem().wafer().height;
  });
  return lay_out(library, library.at(least), tree);
}

}  // namespace waferloom
