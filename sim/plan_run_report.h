#pragma once

#include "model/report.h"
#include "sim/plan_run.h"

namespace waferloom::sim {

/// The part `plan` of a report of schema waferloom/simulate/1. `placed`: the stages lie where a
/// placement says.
Json plan_run_json(const PlanReport& found, const PlannedPipeline& planned,
                   const Workload& workload, bool placed);

}  // namespace waferloom::sim
