#pragma once

#include <cstdint>
#include <vector>

namespace waferloom::placer {

/// Number of enlarged time caps that are tried (GigaPlacer 3.2.2).
inline constexpr int kAlphaSteps = 80;
/// Parts into which fine_sweep divides the first of those steps.
inline constexpr int kFirstStepParts = 8;

/// Time caps above a least time T that trade compute time for distance and adapters: T·1.02^i for
/// i = 1 … 80, rounded down, without repeats and without T itself, none above `largest`.
/// Ascending. Integer arithmetic. T ≥ 1.
std::vector<std::int64_t> alpha_sweep(std::int64_t least_time, std::int64_t largest);

/// The same after ⌊T + T·0.02·j/8⌋ for j = 1 … 7 (beyond the paper): where time decides, the best
/// cap is often the next step of the kernels' times, less than 2 % above the least.
std::vector<std::int64_t> fine_sweep(std::int64_t least_time, std::int64_t largest);

}  // namespace waferloom::placer
