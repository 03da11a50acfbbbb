#pragma once

#include <cstddef>
#include <vector>

#include "model/plan.h"

namespace waferloom::planner {

/// Cuts a chain into exactly `stages` stages, none of them empty, where passing on an element's
/// output costs too: a stage of elements [first, last) costs max(sum, passed[first - 1],
/// passed[last - 1]). That is DFModel's critical time of a stage (Eq. 7), with the network's own
/// share in `costs`. The costliest stage costs the least possible. Such a cost may fall when a
/// stage grows, so this is a dynamic program: O(count^2 · stages). Throws RequestError unless
/// 1 <= stages <= count, std::logic_error for costs below 0 or not finite and for another number of
/// outputs than costs.
ChainCut<double> cut_by_critical_time(const std::vector<double>& costs,
                                      const std::vector<double>& passed, std::size_t stages);

}  // namespace waferloom::planner
