#pragma once

#include <string>

#include "cli/files/report_target.h"
#include "cli/jobs/amped_job.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "viz/table_heat_map.h"

namespace waferloom::cli {

/// The report of `model amped` (model/schemas/amped.schema.json).
Json amped_report(const AmpedJob& job, const planner::AmpedExploration& found);
/// What it tells on stdout, in 80 columns.
std::string amped_summary(const AmpedJob& job, const planner::AmpedExploration& found);
/// All degrees, the ranked ones first.
std::string amped_csv(const AmpedJob& job, const planner::AmpedExploration& found);
/// Times, in days of a training or seconds of a batch. Throws std::invalid_argument for more
/// degrees than a picture has room for.
viz::TableHeatMap amped_heat_map(const AmpedJob& job, const planner::AmpedExploration& found);

}  // namespace waferloom::cli
