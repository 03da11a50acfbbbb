#pragma once

#include <string>

#include "model/report.h"
#include "planner/amped_job.h"

namespace waferloom::planner {

/// A report of schema waferloom/amped/1.
Json amped_json(const AmpedJob& job, const AmpedExploration& found);
/// All degrees, the ranked ones first.
std::string amped_csv(const AmpedJob& job, const AmpedExploration& found);

}  // namespace waferloom::planner
