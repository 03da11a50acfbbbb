#pragma once

#include <string>

#include "model/run_control.h"
#include "optimize/run_control.h"
#include "optimize/ways.h"
#include "planner/system_plan.h"

// The way `chips`: a machine by its chips alone, as DFModel prices them. Its plans are run on the
// machine's fabric, where it has one.

namespace waferloom::optimize {

/// Why the models of chips do not know the machine, or the type: they go by one type's peak. Empty:
/// they do.
std::string lacks_of_chips(const WaysJob& job);

/// Batches: the plans of the chips, the best first, and what the first does by its model. Throws
/// InfeasibleError where none fits, RunCut.
planner::SystemPlans find_chips(const WaysJob& job, const RunControl& control, PlannedWay& way);

/// Requests, by DFModel's model of serving. Throws likewise.
void plan_served_chips(const WaysJob& job, PlannedWay& way);

/// Simulates the first of the plans on the machine's fabric, with embedding and head; sets rate,
/// latency and bottleneck of the way. Where it is more work than a plan is given, or cannot run,
/// the way stays as it was priced, and its note says so. Throws RunCut.
void simulate_chips_way(const WaysJob& job, const planner::SystemPlans& chips,
                        const SearchControl& control, PlannedWay& way);

}  // namespace waferloom::optimize
