#pragma once

#include <string>

#include "model/report.h"
#include "optimize/plan.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// A report of schema waferloom/planned/1.
Json planned_json(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                  const planner::PlanSpace& space, const SearchControl& control,
                  const std::vector<std::string>& warnings);

/// What a simulation counts in a part that the model does not, or, if not `more`, the other way
/// round. Each sentence says what the two take into account, not what happened; `bound_by` is what
/// was seen.
std::string why_parts_differ(planner::BatchPart part, bool more, const sim::PlanReport& report);

}  // namespace waferloom::optimize
