#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "placer/random_stream.h"
#include "placer/stop_signal.h"

namespace waferloom {

/// How long one annealing run lasts: `moves` proposals or until `stop`, whichever is first. Where
/// the deadline is what limits (`by_clock`), the temperature follows the clock.
struct AnnealBudget {
  std::uint64_t moves = 100'000;
  StopSignal stop;
  bool by_clock = false;
};

/// Temperatures as fractions of the mean uphill step at the start.
struct Cooling {
  double first = 0.5;
  double last = 0.001;
};

/// Mean of the uphill changes of cost among some hundred random moves of a search, all refused: the
/// scale of a run's temperatures. `search.step(random, accept)` tries one move.
template <typename Search>
double mean_uphill_step(Search& search, RandomStream& random) {
  constexpr int kSamples = 400;
  double sum = 0;
  int count = 0;
  for (int i = 0; i < kSamples; ++i) {
    search.step(random, [&](double change) {
      if (change > 0) {
        sum += change;
        ++count;
      }
      return false;
    });
  }
  return count > 0 ? sum / count : 1.0;
}

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
  bool accepts(double cost_change, RandomStream& random) const {
    if (cost_change <= 0) return true;
    if (cost_change > 40.0 * temperature_) return false;
    return random.unit() < std::exp(-cost_change / temperature_);
  }
  /// 0 at the start, 1 at the end.
  double fraction() const { return fraction_; }
  std::uint64_t moves() const { return moves_; }

 private:
  static constexpr std::uint64_t kStride = 64;

  bool refresh() {
    if (budget_.stop.raised()) return false;
    fraction_ = static_cast<double>(moves_) / static_cast<double>(budget_.moves);
    if (budget_.by_clock && budget_.stop.deadline) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
      const std::chrono::duration<double> given = *budget_.stop.deadline - start_;
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

}  // namespace waferloom
