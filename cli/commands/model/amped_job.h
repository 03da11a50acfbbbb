#pragma once

#include "cli/options/arguments.h"
#include "planner/amped.h"

namespace waferloom::cli {

/// Throws Failure for what cannot be, InputError for files.
planner::AmpedJob amped_job(const Arguments& arguments);

/// planner::run_amped_job, whose RequestError is a Failure::usage.
planner::AmpedExploration run_amped(const planner::AmpedJob& job);

}  // namespace waferloom::cli
