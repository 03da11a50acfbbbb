#pragma once

#include <string>

#include "cli/console/warnings.h"
#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "optimize/plan.h"

namespace waferloom::cli {

/// A report of schema waferloom/planned/1.
Json planned_json(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                  const optimize::PlanGround& ground, const planner::PlanSpace& space,
                  const CommonOptions& common, const Warnings& warnings);

/// At most 80 columns: what was found on the way, the best plans by model and by simulation, and
/// where the time of the best one goes by each.
std::string planned_summary(const optimize::PlanFindings& found, const optimize::PlanJob& job,
                            const optimize::PlanGround& ground, const std::string& path);

}  // namespace waferloom::cli
