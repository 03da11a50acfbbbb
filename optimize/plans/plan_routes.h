#pragma once

#include "model/hardware.h"
#include "model/plan.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "sim/plan_run.h"

namespace waferloom::optimize {

/// Whether what a plan moves takes planned routes: unless it names a rule, and on a mesh.
bool is_routed(const Plan& plan, const Hardware& hardware);

/// Under a time limit the first plan of a search goes by xy, so that there is soon something to
/// show: routes over a large wafer may take seconds.
void route_by_rule_under_limit(const SearchControl& control, PlanTrial& candidate);

/// Gives the pipeline of a trial planned routes, which the trial keeps, if its plan asks for them
/// and it has none yet. Where there are none, for want of colours say, the plan goes by xy from
/// then on. False if it was cut before there were any.
bool route_plan(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate,
                sim::PlannedPipeline& planned);

}  // namespace waferloom::optimize
