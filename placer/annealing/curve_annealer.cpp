#include "placer/annealing/curve_annealer.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "model/placement.h"
#include "placer/annealing/tree_curves.h"
#include "placer/annealing/tree_moves.h"

namespace waferloom::placer {
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
        wire_(library.problem()),
        centres_(library.problem().kernel_count()),
        held_level_(start.level) {
    const CostModel costs(library.problem());
    per_time_ = static_cast<double>(costs.per_time());
    const Wafer& wafer = library.problem().wafer();
    wafer_height_ = wafer.height;
    price_ = OverflowPrice(per_time_ * static_cast<double>(levels[level_].time), wafer.height,
                           wire_.per_unit());
    for (const ShapesAtTime& shapes : levels) least_wires_.push_back(least_wire(shapes));
    if (!evaluate(kAnyChange)) proposed_ = AnnealState{kAnyChange, 0, kUnreachable};
    keep();
  }

  double cost() const { return held_.cost(); }
  bool fits() const { return held_.overflow == 0; }
  struct Snapshot {
    SlicingTree tree;
    std::size_t level;
  };
  Snapshot snapshot() const { return Snapshot{tree_, level_}; }

  /// Tries one move: its change of cost if that is at most `most`. keep() or take_back() follows.
  std::optional<double> propose(RandomStream& random, double most) {
    if (levels_.size() > 1 && random.below(kMovesPerLevelMove) == 0) {
      const std::size_t level = random.coin() ? level_ + 1 : level_ - 1;
      if (level >= levels_.size()) return std::nullopt;
      held_level_ = std::exchange(level_, level);
      curves_.rebuild(levels_[level_], tree_);
    } else {
      propose_tree_move(tree_, neighbours_, random);
      if (tree_.touched().empty()) return std::nullopt;
      curves_.update(tree_);
    }
    const double held = held_.cost(price_);
    if (!evaluate(held + most)) return std::nullopt;
    return proposed_.cost(price_) - held;
  }
  double wire_change() const { return proposed_.wire - held_.wire; }
  /// To be called once a move.
  void count_state(double fraction) { price_.count(fits(), fraction); }
  void keep() {
    tree_.commit();
    curves_.commit();
    held_level_ = level_;
    held_ = proposed_;
  }
  void take_back() {
    tree_.undo();
    if (level_ == held_level_) {
      curves_.undo();
    } else {
      level_ = held_level_;
      curves_.rebuild(levels_[level_], tree_);
    }
  }

 private:
  static constexpr std::size_t kMovesPerLevelMove = 400;

  /// Prices the tree as it stands, if it costs at most `most`: the wafer's overflow and the least
  /// possible wire are known before anything is laid out.
  bool evaluate(double most) {
    const Side height = curves_.height_at_wafer_width(tree_);
    if (height == kUnreachable) return false;
    proposed_.overflow = std::max<std::int64_t>(0, height - wafer_height_);
    proposed_.time = per_time_ * static_cast<double>(levels_[level_].time);
    proposed_.wire = least_wires_[level_];
    if (proposed_.cost(price_) > most) return false;
    curves_.lay_out(tree_, height, std::span<DoubledCentre>(centres_));
    proposed_.wire = wire_.cost(centres_);
    return proposed_.cost(price_) <= most;
  }

  /// No layout at a level has less: disjoint rectangles are half their thin sides apart.
  double least_wire(const ShapesAtTime& shapes) const {
    std::int64_t half_distance = 0;
    for (const Connection& edge : library_.problem().connections()) {
      half_distance += library_.problem().edge_units(edge) *
                       (shapes.curves[library_.type_of(edge.producer)].least_thin_side() +
                        shapes.curves[library_.type_of(edge.consumer)].least_thin_side());
    }
    return wire_.per_unit() * static_cast<double>(half_distance);
  }

  const ShapeLibrary& library_;
  const std::vector<ShapesAtTime>& levels_;
  Neighbours neighbours_;
  SlicingTree tree_;
  std::size_t level_;
  TreeCurves curves_;
  Wire wire_;
  std::vector<DoubledCentre> centres_;
  std::vector<double> least_wires_;  ///< by level
  double per_time_ = 0;
  std::int64_t wafer_height_ = 0;
  std::size_t held_level_;
  OverflowPrice price_{0};
  AnnealState held_;
  AnnealState proposed_;
};

}  // namespace

std::optional<CurveAnnealResult> anneal_curves(const ShapeLibrary& library,
                                               const std::vector<ShapesAtTime>& levels,
                                               const CurveAnnealStart& start,
                                               const AnnealBudget& budget, const Cooling& cooling,
                                               RandomStream& random) {
  CurveSearch search(library, levels, start);
  const auto best = anneal(search, budget, cooling, random);
  if (!best.snapshot) return std::nullopt;
  return CurveAnnealResult{best.snapshot->tree, best.snapshot->level, best.moves};
}

std::optional<Placement> lay_out(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                 const SlicingTree& tree) {
  if (!shapes.all_exist) return std::nullopt;
  const TreeCurves curves(library, shapes, tree);
  const Side height = curves.height_at_wafer_width(tree);
  if (height > library.problem().wafer().height) return std::nullopt;
  std::vector<LeafRoom> rooms(library.problem().kernel_count());
  curves.lay_out(tree, height, std::span<LeafRoom>(rooms));
  Placement placement;
  for (KernelIndex kernel = 0; kernel < rooms.size(); ++kernel) {
    const LeafRoom& room = rooms[kernel];
    const auto fitted =
        fit(shapes.fronts[library.type_of(kernel)], Extent{room.width, room.height});
    if (!fitted) return std::nullopt;
    placement.kernels.push_back(
        PlacedKernel{fitted->shape.execution, room.x, room.y, fitted->rotated});
  }
  return placement;
}

std::optional<Placement> refit(const ShapeLibrary& library, const SlicingTree& tree,
                               std::int64_t fits_at, const RunControl& stop) {
  const auto fits = [&](std::int64_t time) {
    if (time < 1 || stop.is_cut()) return false;
    const ShapesAtTime shapes = library.at(time);
    return shapes.all_exist && TreeCurves(library, shapes, tree).height_at_wafer_width(tree) <=
                                   library.problem().wafer().height;
  };
  // Mostly not far below: steps down that grow, then bisection of the last one.
  constexpr std::int64_t kFirstStep = 1024;  // one part in so many
  std::int64_t step = fits_at / kFirstStep + 1;
  std::int64_t high = fits_at;
  while (fits(high - step)) {
    high -= step;
    step *= 4;
  }
  const std::int64_t least = least_time(std::max<std::int64_t>(1, high - step + 1), high, fits);
  return lay_out(library, library.at(least), tree);
}

}  // namespace waferloom::placer
