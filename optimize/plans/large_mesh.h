#pragma once

#include <string>
#include <vector>

#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_models.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Whether a mesh has so many tiles that an estimate of a plan on it takes long.
bool is_large(const Hardware& hardware);

/// The few plans of a large mesh that are worth an estimate: those that promise most by DFModel,
/// and by the closed forms of operators that have degrees of their own, which DFModel does not
/// know. None where nothing fits; `why` gets an example then. Throws RunCut.
std::vector<Plan> promising_plans(const PlanGround& ground, const planner::PlanSpace& space,
                                  planner::PlanTimer& timer, const SearchControl& control,
                                  std::string& why);

}  // namespace waferloom::optimize
