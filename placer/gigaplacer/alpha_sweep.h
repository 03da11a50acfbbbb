#pragma once

#include <cstdint>
#include <vector>

namespace waferloom {

/// Number of enlarged time caps that are tried (GigaPlacer 3.2.2).
inline constexpr int kAlphaSteps = 80;

/// Time caps above a least time T that trade compute time for distance and adapters:
/// ⌊T·1.02^i⌋ for i = 1 … 80, in exact integer arithmetic, without repeats and without T itself,
/// none above `largest`. Ascending. T ≥ 1.
std::vector<std::int64_t> alpha_sweep(std::int64_t least_time, std::int64_t largest);

}  // namespace waferloom
