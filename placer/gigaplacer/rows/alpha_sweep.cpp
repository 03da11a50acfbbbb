#include "placer/gigaplacer/rows/alpha_sweep.h"

#include "kernels/int128.h"

namespace waferloom::placer {
namespace {

/// The sweep after the inner bounds of the first step cut into `parts`.
std::vector<std::int64_t> sweep(std::int64_t least_time, std::int64_t largest, int parts) {
  // T·1.02^i as value + fraction/2^40, rounded down at each step by less than 2^-40: over 80 steps
  // the error stays far below the steps of T.
  constexpr int kFractionBits = 40;
  std::vector<std::int64_t> times;
  const auto add = [&](Int128 time) {
    if (time > largest || time <= (times.empty() ? least_time : times.back())) return;
    times.push_back(static_cast<std::int64_t>(time));
  };
  for (int j = 1; j < parts; ++j) add(least_time + Int128(least_time) * j / (50 * parts));
  Int128 scaled = Int128(least_time) << kFractionBits;
  for (int i = 0; i < kAlphaSteps; ++i) {
    scaled = scaled * 51 / 50;
    add(scaled >> kFractionBits);
  }
  return times;
}

}  // namespace

std::vector<std::int64_t> alpha_sweep(std::int64_t least_time, std::int64_t largest) {
  return sweep(least_time, largest, 1);
}

std::vector<std::int64_t> fine_sweep(std::int64_t least_time, std::int64_t largest) {
  return sweep(least_time, largest, kFirstStepParts);
}

}  // namespace waferloom::placer
