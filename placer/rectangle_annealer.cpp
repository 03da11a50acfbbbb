#include "placer/rectangle_annealer.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "model/score.h"
#include "placer/kernel_cut.h"
#include "placer/tree_moves.h"
#include "placer/tree_rectangles.h"

namespace waferloom {
namespace {

/// How a kernel is shaped in a run.
struct RigidKernel {
  KernelCut cut;
  bool rotated = false;
};

/// The state of one run: tree, shapes, time cap and cost, moved and taken back together.
class RectangleSearch {
 public:
  RectangleSearch(const ShapeLibrary& library, const RectangleAnnealStart& start)
      : library_(library),
        problem_(library.problem()),
        neighbours_(graph_neighbours(problem_)),
        tree_(start.tree),
        time_(score(problem_, start.placement).time),
        fronts_(library.at(time_).fronts),
        rectangles_(tree_, leaf_sizes(start.placement)),
        wire_(problem_),
        centres_(problem_.kernel_count()) {
    const CostModel costs(problem_);
    per_time_ = static_cast<double>(costs.per_time());
    per_adapter_ = static_cast<double>(costs.per_adapter());
    const Wafer& wafer = problem_.wafer();
    price_ = OverflowPrice(2.0 * (per_time_ * static_cast<double>(time_) /
                                      static_cast<double>(std::min(wafer.width, wafer.height)) +
                                  wire_.per_unit()));
    evaluate(kAnyChange);
    held_ = proposed_;
  }

  double cost() const { return held_.cost(); }
  bool fits() const { return held_.overflow == 0; }

  /// Tries one move: its change of cost if that is at most `most`. keep() or take_back() follows.
  std::optional<double> propose(RandomStream& random, double most) {
    held_time_ = time_;
    const bool possible = propose_move(random);
    if (!possible || (tree_.touched().empty() && saved_.empty() && time_ == held_time_)) {
      return std::nullopt;
    }
    rectangles_.update(tree_);
    const double held = held_.cost(price_);
    if (!evaluate(held + most)) return std::nullopt;
    return proposed_.cost(price_) - held;
  }
  double wire_change() const { return proposed_.wire - held_.wire; }
  /// To be called once a move.
  void count_state(double fraction) { price_.count(fits(), fraction); }
  void keep() {
    tree_.commit();
    rectangles_.commit();
    saved_.clear();
    held_ = proposed_;
  }
  void take_back() {
    tree_.undo();
    rectangles_.undo();
    for (std::size_t i = saved_.size(); i-- > 0;) kernels_[saved_[i].kernel] = saved_[i].before;
    saved_.clear();
    time_ = held_time_;
  }

  /// The tree and the shapes as they stand, enough to lay them out again.
  struct Snapshot {
    SlicingTree tree;
    std::vector<RigidKernel> kernels;
    std::int64_t time;
  };
  Snapshot snapshot() const { return Snapshot{tree_, kernels_, time_}; }

  Placement placement(const Snapshot& snapshot) const {
    const KernelLimits limits = library_.limits(snapshot.time);
    Placement placement;
    std::vector<PieceSize> sizes;
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const auto execution = execute(problem_.kernel(i), snapshot.kernels[i].cut, limits);
      placement.kernels.push_back(PlacedKernel{*execution, 0, 0, snapshot.kernels[i].rotated});
      const Rectangle room = rectangle(problem_.kernel(i), placement.kernels.back());
      sizes.push_back(
          PieceSize{static_cast<std::int32_t>(room.width), static_cast<std::int32_t>(room.height)});
    }
    TreeRectangles rectangles(snapshot.tree, sizes);
    std::vector<DoubledCentre> centres(sizes.size());
    rectangles.lay_out(snapshot.tree, centres);
    for (KernelIndex i = 0; i < centres.size(); ++i) {
      placement.kernels[i].x = (centres[i].x - sizes[i].width) / 2;
      placement.kernels[i].y = (centres[i].y - sizes[i].height) / 2;
    }
    return placement;
  }

 private:
  struct Saved {
    KernelIndex kernel;
    RigidKernel before;
  };

  std::vector<PieceSize> leaf_sizes(const Placement& placement) {
    std::vector<PieceSize> sizes;
    const KernelLimits limits = library_.limits(time_);
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const PlacedKernel& placed = placement.kernels[i];
      kernels_.push_back(RigidKernel{cut_of(problem_.kernel(i), placed.execution), placed.rotated});
      sizes.push_back(*size_of(i, kernels_.back(), limits));
    }
    return sizes;
  }

  std::optional<PieceSize> size_of(KernelIndex kernel, const RigidKernel& shape,
                                   const KernelLimits& limits) const {
    const auto execution = execute(problem_.kernel(kernel), shape.cut, limits);
    if (!execution) return std::nullopt;
    const Extent tiles = extent(problem_.kernel(kernel), *execution);
    if (std::max(tiles.width, tiles.height) > library_.largest_side()) return std::nullopt;
    const auto width = static_cast<std::int32_t>(tiles.width);
    const auto height = static_cast<std::int32_t>(tiles.height);
    return shape.rotated ? PieceSize{height, width} : PieceSize{width, height};
  }

  /// Gives a kernel another shape; false if it has no size at the time cap.
  bool reshape(KernelIndex kernel, const RigidKernel& shape) {
    if (!within_limits(problem_.kernel(kernel), shape.cut)) return false;
    const auto size = size_of(kernel, shape, library_.limits(time_));
    if (!size) return false;
    saved_.push_back(Saved{kernel, kernels_[kernel]});
    kernels_[kernel] = shape;
    rectangles_.set_leaf(static_cast<SlicingTree::Node>(kernel), *size);
    return true;
  }

  bool propose_move(RandomStream& random) {
    const std::uint32_t kind = random.below(100);
    if (kind < 50) {
      propose_tree_move(tree_, neighbours_, random);
      return true;
    }
    const KernelIndex kernel = random.below(problem_.kernel_count());
    if (kind < 58) {
      RigidKernel shape = kernels_[kernel];
      shape.rotated = !shape.rotated;
      return reshape(kernel, shape);
    }
    if (kind < 70) return adopt_signature(kernel, random);
    if (kind < 82) return pick_from_front(kernel, random);
    if (kind < 94) return change_rows(kernel, random);
    if (kind < 97) return change_group(kernel, random);
    return change_time(kernel, random);
  }

  /// Bands of h·w tiles so that the kernel keeps about its height under other (h, w).
  static std::int64_t rows_like(const KernelCut& held, const Signature& ports) {
    const std::int64_t tall = held.ports.h * held.ports.w *
                              (std::max({held.ports.c_in, held.ports.c_out, held.c_rest}) + 1);
    return std::max<std::int64_t>(2, (tall + ports.h * ports.w / 2) / (ports.h * ports.w));
  }

  /// Takes over h, w and the c between the two from a neighbour.
  bool adopt_signature(KernelIndex kernel, RandomStream& random) {
    if (problem_.connections().empty()) return false;
    const auto& connected = neighbours_[kernel];
    if (connected.empty()) return false;
    const KernelIndex other = connected[random.below(connected.size())];
    const Signature& theirs = kernels_[other].cut.ports;
    RigidKernel shape = kernels_[kernel];
    Signature ports = theirs;
    if (random.below(3) == 0) {  // only the channels
      ports.h = shape.cut.ports.h;
      ports.w = shape.cut.ports.w;
    }
    const std::int64_t c = random.coin() ? theirs.c_out : theirs.c_in;
    const std::int64_t rows = random.coin() ? c + 1 : rows_like(shape.cut, ports);
    KernelCut cut = widest_cut(problem_.kernel(kernel), ImageSplit{ports.h, ports.w, rows - 1});
    const bool lone = problem_.kernel(kernel).convolution_count == 1;
    switch (random.below(lone ? 2 : 4)) {
      case 0:
        cut.ports.c_in = cut.ports.c_out = c;
        break;
      case 1:
        break;
      case 2:
        cut.ports.c_in = c;
        break;
      default:
        cut.ports.c_out = c;
    }
    shape.cut = cut;
    return reshape(kernel, shape);
  }

  bool pick_from_front(KernelIndex kernel, RandomStream& random) {
    const auto& front = fronts_[library_.type_of(kernel)];
    if (front.empty()) return false;
    const Shape& picked = front[random.below(front.size())];
    return reshape(kernel,
                   RigidKernel{cut_of(problem_.kernel(kernel), picked.execution), random.coin()});
  }

  bool change_rows(KernelIndex kernel, RandomStream& random) {
    RigidKernel shape = kernels_[kernel];
    const bool lone = problem_.kernel(kernel).convolution_count == 1;
    const std::int64_t reach = 1 + static_cast<std::int64_t>(random.below(4));
    const std::int64_t by = random.coin() ? reach : -reach;
    switch (random.below(lone ? 2 : 5)) {
      case 0:
      case 1: {  // all c together
        const std::int64_t c =
            std::max({shape.cut.ports.c_in, shape.cut.ports.c_out, shape.cut.c_rest}) + by;
        if (c < 1) return false;
        shape.cut = widest_cut(problem_.kernel(kernel),
                               ImageSplit{shape.cut.ports.h, shape.cut.ports.w, c});
        break;
      }
      case 2:
        shape.cut.ports.c_in += by;
        break;
      case 3:
        shape.cut.ports.c_out += by;
        break;
      default:
        shape.cut.c_rest += by;
    }
    return reshape(kernel, shape);
  }

  /// Carries the kernel's signature, or one from its front, through a connected group.
  bool change_group(KernelIndex kernel, RandomStream& random) {
    KernelCut cut = kernels_[kernel].cut;
    const auto& front = fronts_[library_.type_of(kernel)];
    if (!front.empty() && random.coin()) {
      cut = cut_of(problem_.kernel(kernel), front[random.below(front.size())].execution);
    }
    const std::int64_t c = random.coin() ? cut.ports.c_out : cut.ports.c_in;
    const std::size_t size = 2 + random.below(problem_.kernel_count());
    group_.assign(1, kernel);
    for (std::size_t i = 0; i < group_.size() && group_.size() < size; ++i) {
      for (const KernelIndex next : neighbours_[group_[i]]) {
        if (std::find(group_.begin(), group_.end(), next) == group_.end()) group_.push_back(next);
        if (group_.size() >= size) break;
      }
    }
    bool any = false;
    for (const KernelIndex member : group_) {
      RigidKernel shape = kernels_[member];
      shape.cut = widest_cut(problem_.kernel(member), ImageSplit{cut.ports.h, cut.ports.w, c});
      any = reshape(member, shape) || any;
    }
    return any;
  }

  /// Moves the cap to what some kernel needs with one k more or less; all sizes follow.
  bool change_time(KernelIndex kernel, RandomStream& random) {
    const Kernel& formal = problem_.kernel(kernel);
    auto execution = execute(formal, kernels_[kernel].cut, library_.limits(time_));
    if (!execution) return false;
    const std::int64_t by = random.below(3) == 0 ? 1 : -1;
    for (std::size_t i = 0; i < convolution_total(formal); ++i) {
      execution->k[i] += by;
    }
    if (!waferloom::within_limits(formal, *execution)) return false;
    std::int64_t time = compute_time(formal, *execution, problem_.time_denominator());
    if (random.coin()) time = slowest_at_cap();
    if (time == time_ || time < 1) return false;
    const KernelLimits limits = library_.limits(time);
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const auto size = size_of(i, kernels_[i], limits);
      if (!size) return false;
      const auto leaf = static_cast<SlicingTree::Node>(i);
      if (*size != rectangles_.size(leaf)) rectangles_.set_leaf(leaf, *size);
    }
    time_ = time;
    return true;
  }

  std::int64_t slowest_at_cap() const {
    std::int64_t slowest = 0;
    const KernelLimits limits = library_.limits(time_);
    for (KernelIndex i = 0; i < problem_.kernel_count(); ++i) {
      const auto execution = execute(problem_.kernel(i), kernels_[i].cut, limits);
      slowest = std::max(slowest,
                         compute_time(problem_.kernel(i), *execution, problem_.time_denominator()));
    }
    return slowest;
  }

  /// Prices the rectangles as they stand, if they cost at most `most`.
  bool evaluate(double most) {
    const PieceSize& whole = rectangles_.size(tree_.root());
    proposed_.overflow = std::max<std::int64_t>(0, whole.width - problem_.wafer().width) +
                         std::max<std::int64_t>(0, whole.height - problem_.wafer().height);
    proposed_.time = per_time_ * static_cast<double>(time_);
    proposed_.wire = 0;
    if (proposed_.cost(price_) > most) return false;
    rectangles_.lay_out(tree_, centres_);
    std::int64_t adapter = 0;
    for (const Connection& edge : problem_.connections()) {
      adapter +=
          adapter_mismatches(kernels_[edge.producer].cut.ports, kernels_[edge.consumer].cut.ports);
    }
    proposed_.wire = wire_.cost(centres_) + per_adapter_ * static_cast<double>(adapter);
    return proposed_.cost(price_) <= most;
  }

  const ShapeLibrary& library_;
  const Problem& problem_;
  Neighbours neighbours_;
  SlicingTree tree_;
  std::int64_t time_;
  std::vector<std::vector<Shape>> fronts_;  ///< at the start's time
  std::vector<RigidKernel> kernels_;
  TreeRectangles rectangles_;
  Wire wire_;
  std::vector<DoubledCentre> centres_;
  std::vector<Saved> saved_;
  std::vector<KernelIndex> group_;
  double per_time_ = 0;
  double per_adapter_ = 0;
  std::int64_t held_time_ = 0;
  OverflowPrice price_{0};
  AnnealState held_;
  AnnealState proposed_;
};

}  // namespace

RectangleAnnealResult anneal_rectangles(const ShapeLibrary& library,
                                        const RectangleAnnealStart& start,
                                        const AnnealBudget& budget, const Cooling& cooling,
                                        RandomStream& random) {
  RectangleSearch search(library, start);
  RectangleSearch::Snapshot best = search.snapshot();
  double best_cost = search.fits() ? search.cost() : 1e300;
  const std::uint64_t moves = anneal(search, budget, cooling, random, [&] {
    if (search.cost() >= best_cost || !search.fits()) return;
    best_cost = search.cost();
    best = search.snapshot();
  });
  return RectangleAnnealResult{best.tree, search.placement(best), moves};
}

}  // namespace waferloom
