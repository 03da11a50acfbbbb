#pragma once

#include <string>

#include "optimize/plan.h"

namespace waferloom::cli {

/// At most 80 columns: what was found on the way, the best plans by model and by simulation, and
/// where the time of the best one goes by each.
std::string plan_summary(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                         const optimize::PlanGround& ground, const std::string& path);

}  // namespace waferloom::cli
