#include "placer/gigaplacer/alpha_sweep.h"

#include "kernels/int128.h"

namespace waferloom {

std::vector<std::int64_t> alpha_sweep(std::int64_t least_time, std::int64_t largest) {
  // T·1.02^i as value + fraction/2^40, rounded down at each step by less than 2^-40: over 80 steps
  // the error stays far below the steps of T.
  constexpr int kFractionBits = 40;
  std::vector<std::int64_t> times;
  Int128 scaled = Int128(least_time) << kFractionBits;
  std::int64_t last = least_time;
  for (int i = 0; i < kAlphaSteps; ++i) {
    scaled = scaled * 51 / 50;
    const auto time = static_cast<std::int64_t>(scaled >> kFractionBits);
    if (time > largest) break;
    if (time == last) continue;
    times.push_back(time);
    last = time;
  }
  return times;
}

}  // namespace waferloom
