#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "planner/amped_report.h"

namespace waferloom::cli {

/// Throws Failure for what cannot be, InputError for files.
planner::AmpedJob amped_job(const Arguments& arguments);

/// The degrees that were asked for, alone; or all. Throws Failure: usage for degrees that do not
/// divide, infeasible where nothing has room and room is asked for.
planner::AmpedExploration run_amped_job(const planner::AmpedJob& job);

/// The candidate that is told in full: the fastest.
const planner::AmpedCandidate& best_of(const planner::AmpedExploration& found);

}  // namespace waferloom::cli
