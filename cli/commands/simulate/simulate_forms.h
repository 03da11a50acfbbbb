#pragma once

#include "cli/files/stage_files.h"
#include "cli/options/arguments.h"
#include "model/workload.h"

namespace waferloom::cli {

// The forms of simulate; each answers the exit code.
int simulate_messages(const Arguments& arguments);
int simulate_placement(const Arguments& arguments);
int simulate_workload(const Arguments& arguments);

/// `simulate` of a plan that `plan --serve` wrote. Answers the exit code.
int simulate_resident_plan(const Arguments& arguments, const PlanText& text,
                           const Workload& workload);

/// Likewise of one that `plan --way streaming` wrote.
int simulate_streaming_plan(const Arguments& arguments, const PlanText& text,
                            const Workload& workload);

}  // namespace waferloom::cli
