#pragma once

#include <vector>

#include "model/workload.h"
#include "planner/dfmodel/mapping/order_ideals.h"

namespace waferloom::planner {

/// Orders among interchangeable kernels: those with equal figures that take equal tensors from the
/// same kernels and hand equal ones to the same. Exchanging two of them in a mapping changes no
/// partition's cost, so there is a best mapping in which they come in by index, and a search may
/// demand that: k alike kernels side by side then make k + 1 ideals instead of 2^k. Consecutive
/// ones of each class. O(V log V + E log E).
std::vector<Precedence> twin_orders(const DataflowGraph& graph);

}  // namespace waferloom::planner
