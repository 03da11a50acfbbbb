#pragma once

#include <string>

#include "cli/report.h"
#include "cli/warnings.h"
#include "optimize/plan.h"

namespace waferloom {

/// A report of schema waferloom/planned/1.
Json planned_json(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                  const PlanSpace& space, const CommonOptions& common, const Warnings& warnings);

/// At most 80 columns: what was found on the way, the best plans by model and by simulation, and
/// where the time of the best one goes by each.
std::string planned_summary(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                            const std::string& path);

}  // namespace waferloom
