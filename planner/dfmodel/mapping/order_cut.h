#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "planner/dfmodel.h"

namespace waferloom::planner {

/// The best mapping whose partitions are pieces of one order of the kernels, in which each stands
/// behind those whose tensors it takes; of exactly `partitions` pieces if that is given. Empty if
/// there is none. A piece is looked at up to where it does not fit, and up to a length that keeps
/// the work below about 5·10^7 pieces (10^7 with a number of partitions). O(V · longest piece).
Partitions best_cut(const MappingProblem& problem, const std::vector<std::size_t>& order,
                    std::optional<std::size_t> partitions);

/// The best of `best_cut` over a few orders: as given, level by level, depth first from either end.
Partitions best_cut_of_orders(const MappingProblem& problem, std::optional<std::size_t> partitions);

}  // namespace waferloom::planner
