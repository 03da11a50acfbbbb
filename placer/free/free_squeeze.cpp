#include "placer/free/free_squeeze.h"

#include <algorithm>
#include <vector>

#include "model/placement.h"
#include "placer/bounds/bounds.h"
#include "placer/free/free_layout.h"

// Problem: lower the time cap of a placement that keeps constraints.
// Idea: lower the cap by a step. Kernels grow and overlap. Move those that overlap until they part;
// a pair's weight rises as long as it overlaps, so that the search leaves local minima. Take a
// larger step after success, a smaller one after failure. Every legal placement on the way is
// reported.
// Source: guided local search (Voudouris and Tsang 1999), for packing Egeblad et al. 2007.
// Cost: limited by moves or by the stop signal; a move as in FreeLayout.
namespace waferloom::placer {
namespace {

/// Weights of pairs that overlap, in a dense matrix while that is small, otherwise all one.
class PairWeights {
 public:
  explicit PairWeights(std::size_t count)
      : count_(count), weights_(count <= kMostDense ? count * count : 0, 1.0F) {}

  void reset() { std::fill(weights_.begin(), weights_.end(), 1.0F); }
  double at(std::size_t i, std::size_t j) const {
    return weights_.empty() ? 1.0 : static_cast<double>(weights_[i * count_ + j]);
  }
  /// Makes overlapping pairs dearer, the deeper the more, and lets the others forget.
  void learn(const OverlapDepths& tiles) {
    if (weights_.empty()) return;
    constexpr float kForget = 0.98F;
    constexpr float kHeaviest = 1e30F;  // sums of such weights are finite and differ
    std::int64_t deepest = 1;
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = i + 1; j < count_; ++j) deepest = std::max(deepest, tiles.depth(i, j));
    }
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t j = i + 1; j < count_; ++j) {
        const std::int64_t depth = tiles.depth(i, j);
        float& weight = weights_[i * count_ + j];
        const float rise = 1.2F + 0.5F * static_cast<float>(depth) / static_cast<float>(deepest);
        weight = depth > 0 ? std::min(kHeaviest, weight * rise) : std::max(1.0F, weight * kForget);
        weights_[j * count_ + i] = weight;
      }
    }
  }

 private:
  static constexpr std::size_t kMostDense = 1'000;
  std::size_t count_;
  std::vector<float> weights_;
};

/// Parts the kernels of a layout at its time cap.
class Parting {
 public:
  Parting(FreeLayout& layout, const Wire& wire, std::size_t kernels, double wire_weight)
      : layout_(layout),
        wire_(wire),
        weights_(kernels),
        kernels_(kernels),
        per_wire_(wire.per_unit() > 0 ? wire_weight / (2 * wire.per_unit()) : 0) {}

  /// Whether nothing overlaps after at most `moves` moves.
  template <typename Next>
  bool run(std::uint64_t moves, RandomStream& random, const Next& next) {
    weights_.reset();
    find_overlapping();
    std::uint64_t since_learning = 0;
    for (std::uint64_t move = 0; move < moves && !overlapping_.empty(); ++move) {
      if (!next()) return false;
      const std::size_t at = random.below(overlapping_.size());
      const KernelIndex kernel = overlapping_[at];
      if (layout_.tiles().depth_in(kernel, 0) == 0) {
        listed_[kernel] = false;
        overlapping_[at] = overlapping_.back();
        overlapping_.pop_back();
        continue;
      }
      try_move(kernel, random);
      if (++since_learning < kMovesPerKernel * overlapping_.size()) continue;
      weights_.learn(layout_.tiles());
      since_learning = 0;
    }
    return overlapping_.empty();
  }

 private:
  static constexpr std::uint64_t kMovesPerKernel = 60;

  double weighted(KernelIndex kernel) const {
    const OverlapDepths& tiles = layout_.tiles();
    if (tiles.depth_in(kernel, 0) == 0) return 0;
    double sum = 0;
    for (KernelIndex other = 0; other < kernels_; ++other) {
      if (other == kernel) continue;
      const std::int64_t depth = tiles.depth(kernel, other);
      if (depth > 0) sum += weights_.at(kernel, other) * static_cast<double>(depth);
    }
    return sum;
  }
  /// What the kernels that the open transaction moves cost where they are; pairs of two of them
  /// count twice.
  double cost_of_movers() const {
    double sum = 0;
    for (const KernelIndex kernel : movers_) {
      sum += weighted(kernel) + per_wire_ * wire_.cost_of(kernel, layout_.centres());
    }
    return sum;
  }

  /// Keeps a random move of the kernel unless it makes matters worse.
  void try_move(KernelIndex kernel, RandomStream& random) {
    if (!layout_.propose_place(kernel, random) || layout_.moved().empty()) {
      layout_.undo();
      return;
    }
    movers_.clear();
    for (const FreeLayout::Moved& moved : layout_.moved()) movers_.push_back(moved.kernel);
    std::sort(movers_.begin(), movers_.end());
    movers_.erase(std::unique(movers_.begin(), movers_.end()), movers_.end());
    const double after = cost_of_movers();
    layout_.exchange_with_before();
    const double before = cost_of_movers();
    layout_.exchange_with_before();
    if (after > before) {
      layout_.undo();
      return;
    }
    layout_.commit();
    for (const KernelIndex mover : movers_) list_overlapped_by(mover);
  }

  void list(KernelIndex kernel) {
    if (listed_[kernel]) return;
    listed_[kernel] = true;
    overlapping_.push_back(kernel);
  }
  void list_overlapped_by(KernelIndex kernel) {
    const OverlapDepths& tiles = layout_.tiles();
    if (tiles.depth_in(kernel, 0) == 0) return;
    list(kernel);
    for (KernelIndex other = 0; other < kernels_; ++other) {
      if (tiles.depth(kernel, other) > 0) list(other);
    }
  }

  void find_overlapping() {
    overlapping_.clear();
    listed_.assign(kernels_, false);
    for (KernelIndex kernel = 0; kernel < kernels_; ++kernel) {
      if (layout_.tiles().depth_in(kernel, 0) > 0) list(kernel);
    }
  }

  FreeLayout& layout_;
  const Wire& wire_;
  PairWeights weights_;
  std::size_t kernels_;
  double per_wire_;
  std::vector<KernelIndex> overlapping_;  ///< all that overlap, and some that did
  std::vector<bool> listed_;              ///< whether a kernel is among them
  std::vector<KernelIndex> movers_;
};

}  // namespace

void squeeze_free(const ShapeLibrary& library, const ClearSpace& space, const Placement& start,
                  double wire_weight, const AnnealBudget& budget, RandomStream& random,
                  const std::function<void(const Placement&)>& found) {
  constexpr std::uint64_t kMovesPerKernel = 4'000;  // to part them at one cap
  constexpr std::uint64_t kMovesUpwards = 1'000;    // … while nothing is legal yet
  constexpr std::uint64_t kStride = 64;
  constexpr double kStepUpwards = 0.06;
  constexpr double kFirstStep = 0.03;
  constexpr double kLeastStep = 0.002;
  constexpr double kShorter = 0.75;  // where kernels cannot grow by a step
  const std::size_t kernels = library.problem().kernel_count();
  const Wire wire(library.problem());
  FreeLayout layout(library, space, start);
  if (!layout.settle(random, budget.stop)) return;
  Parting parting(layout, wire, kernels, wire_weight);
  std::uint64_t moves = 0;
  const auto next = [&] {
    if (++moves > budget.moves) return false;
    return moves % kStride != 0 || !budget.stop.is_cut();
  };
  const std::int64_t slowest = slowest_time(library.problem());
  std::optional<FreeLayout::Snapshot> legal;
  std::int64_t cap = layout.shapes().time();
  double step = kFirstStep;
  while (moves <= budget.moves && !budget.stop.is_cut()) {
    const std::uint64_t patience = (legal ? kMovesPerKernel : kMovesUpwards) * kernels;
    if (parting.run(patience, random, next)) {
      found(layout.placement());
      if (legal) step *= 1.5;
      legal = layout.snapshot();
      cap = score(library.problem(), layout.placement()).time;
    } else if (legal) {
      layout.restore(*legal);
      step /= 2;
      if (step < kLeastStep) step = kFirstStep;  // again, from elsewhere
    }
    const auto scaled = [&](double factor) {
      return static_cast<std::int64_t>(static_cast<double>(cap) * factor);
    };
    if (!legal) cap = std::min(slowest, std::max(cap + 1, scaled(1 + kStepUpwards)));
    while (!layout.set_time(legal ? std::min(scaled(1 - step), cap - 1) : cap, random)) {
      layout.undo();
      step *= kShorter;
      if (!legal || step < kLeastStep) return;
    }
    layout.commit();
  }
}

}  // namespace waferloom::placer
