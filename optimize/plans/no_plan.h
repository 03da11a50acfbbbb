#pragma once

#include <string>

#include "optimize/plans/plan_trial.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// That no plan fits the hardware, and why if that is known. In one wording for all searches.
SearchEnded nothing_fits(const PlanGround& ground, const planner::PlanSpace& space,
                         const std::string& why);

/// Why a search ends before a plan was simulated: a signal, the time limit, or that nothing fits.
SearchEnded no_plan(const PlanGround& ground, const planner::PlanSpace& space,
                    const SearchControl& control, const std::string& why);

}  // namespace waferloom::optimize
