#pragma once

#include <limits>

namespace waferloom::planner {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// By which sums of the same times in another order may differ, as a part of them.
inline constexpr double kRounding = 1e-9;

}  // namespace waferloom::planner
