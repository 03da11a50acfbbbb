#pragma once

#include <algorithm>

#include "model/plan.h"
#include "model/workload.h"

namespace waferloom::planner {

/// Whether an operator takes no part in a plan.
inline bool is_left_out(const Plan& plan, const Operator& op) {
  return std::find(plan.leave_out.begin(), plan.leave_out.end(), op.name) != plan.leave_out.end();
}

}  // namespace waferloom::planner
