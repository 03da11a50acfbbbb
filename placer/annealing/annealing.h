#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

#include "model/run_control.h"
#include "placer/search/random_stream.h"

namespace waferloom::placer {

/// How long one annealing run lasts: `moves` proposals or until `stop`, whichever is first. Where
/// the deadline is what limits (`by_clock`), the temperature follows the clock.
struct AnnealBudget {
  std::uint64_t moves = 100'000;
  RunControl stop;
  bool by_clock = false;
};

inline constexpr double kAnyChange = 1e300;

/// Temperatures as fractions of the mean uphill change of wire at the start.
struct Cooling {
  double first = 0.5;
  double last = 0.001;
};

/// Mean of the uphill changes of wire among some hundred random moves of a search, all taken back:
/// the scale of a run's temperatures. `search.propose(random, most)` tries one move and gives its
/// change of cost, if that is at most `most`; `search.wire_change()` is the wire's part in it.
template <typename Search>
double mean_uphill_wire(Search& search, RandomStream& random) {
  constexpr int kSamples = 400;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < kSamples; ++i) {
    if (search.propose(random, kAnyChange) && search.wire_change() > 0) {
      sum += search.wire_change();
      ++count;
    }
    search.take_back();
  }
  return count > 0 ? sum / count : 1.0;
}

/// What a row of overflow costs, adapted while a run goes on: dearer while too few of the states
/// fit the wafer, cheaper while many do. A fixed price is too low where wire gains more by
/// overflowing, and then the run ends outside; or too high, and then it is stuck.
class OverflowPrice {
 public:
  explicit OverflowPrice(double first) : price_(first), least_(first / kRange) {}
  /// At first twice what shrinking all kernels by one of `rows` would cost in time and wire.
  OverflowPrice(double time_cost, std::int64_t rows, double tile_cost)
      : OverflowPrice(2.0 * (time_cost / static_cast<double>(rows) + tile_cost)) {}

  double value() const { return price_; }
  /// Counts a state; `fraction` of the run is over.
  void count(bool fits, double fraction) {
    fitting_ += fits ? 1 : 0;
    if (++states_ < kStates) return;
    const double wanted = kWantedAtStart + (kWantedAtEnd - kWantedAtStart) * fraction;
    const bool dearer = fitting_ < wanted * kStates;
    price_ = dearer ? price_ * kStep : std::max(least_, price_ / kStep);
    states_ = 0;
    fitting_ = 0;
  }

 private:
  static constexpr int kStates = 256;
  static constexpr double kStep = 1.08;
  static constexpr double kRange = 16;
  static constexpr double kWantedAtStart = 0.2;
  static constexpr double kWantedAtEnd = 0.8;
  double price_;
  double least_;
  int states_ = 0;
  int fitting_ = 0;
};

/// What the objective of a state is made of, in CostModel's units.
struct AnnealState {
  double time = 0;
  double wire = 0;            ///< adapters included, where the search sees them
  std::int64_t overflow = 0;  ///< rows or columns beyond the wafer
  /// Of a state that fits.
  double cost() const { return time + wire; }
  double cost(const OverflowPrice& price) const {
    return cost() + price.value() * static_cast<double>(overflow);
  }
};

/// Where a run stands: geometric cooling over the budget, the Metropolis rule (Kirkpatrick et al.
/// 1983), and when to stop. The clock is read every kStride moves.
class Annealing {
 public:
  Annealing(const AnnealBudget& budget, const Cooling& cooling, double uphill_step)
      : budget_(budget),
        hottest_(cooling.first * uphill_step),
        ratio_(std::log(cooling.last / cooling.first)),
        start_(std::chrono::steady_clock::now()),
        temperature_(hottest_) {}

  /// Whether there is another move; counts it.
  bool next() {
    if (moves_ >= budget_.moves || (moves_ % kStride == 0 && !refresh())) return false;
    ++moves_;
    return true;
  }
  /// The largest change of cost that the Metropolis rule lets pass: drawn before the move is
  /// priced, so that a move whose cheapest part already costs more is not priced whole.
  double most(RandomStream& random) const { return -temperature_ * std::log(1.0 - random.unit()); }
  /// 0 at the start, 1 at the end.
  double fraction() const { return fraction_; }
  std::uint64_t moves() const { return moves_; }

 private:
  static constexpr std::uint64_t kStride = 64;

  bool refresh() {
    if (budget_.stop.is_cut()) return false;
    fraction_ = static_cast<double>(moves_) / static_cast<double>(budget_.moves);
    const auto deadline = budget_.stop.deadline();
    if (budget_.by_clock && deadline) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
      const std::chrono::duration<double> given = *deadline - start_;
      fraction_ = std::min(1.0, spent / given);
    }
    temperature_ = hottest_ * std::exp(ratio_ * fraction_);
    return true;
  }

  AnnealBudget budget_;
  double hottest_;
  double ratio_;
  std::chrono::steady_clock::time_point start_;
  double temperature_;
  double fraction_ = 0;
  std::uint64_t moves_ = 0;
};

/// The cheapest state that fits of all that a run kept, its beginning among them, and the number of
/// moves tried.
template <typename Snapshot>
struct AnnealBest {
  std::optional<Snapshot> snapshot;
  std::uint64_t moves = 0;
};

/// Runs a search to the end of its budget.
template <typename Search>
AnnealBest<typename Search::Snapshot> anneal(Search& search, const AnnealBudget& budget,
                                             const Cooling& cooling, RandomStream& random) {
  AnnealBest<typename Search::Snapshot> best;
  double best_cost = 0;
  const auto keep_best = [&] {
    if (!search.fits() || (best.snapshot && search.cost() >= best_cost)) return;
    best_cost = search.cost();
    best.snapshot = search.snapshot();
  };
  keep_best();
  Annealing annealing(budget, cooling, mean_uphill_wire(search, random));
  while (annealing.next()) {
    search.count_state(annealing.fraction());
    if (!search.propose(random, annealing.most(random))) {
      search.take_back();
      continue;
    }
    search.keep();
    keep_best();
  }
  best.moves = annealing.moves();
  return best;
}

}  // namespace waferloom::placer
