#pragma once

#include <optional>

#include "model/plan.h"
#include "model/run_control.h"
#include "optimize/trial.h"
#include "optimize/ways.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// How fast a network runs that is cut over a machine's tiles as over a rack of chips: by the
/// search that `plan --way cut` does, whose plan is the answer. On meshes of many tiles, where
/// routes take minutes, nothing is simulated: `way` has the best of the search's estimates. A way
/// without room says why, or throws InfeasibleError. Deterministic. Throws RunCut before anything
/// was simulated, or estimated.
std::optional<Plan> find_cut(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                             const RunControl& control, PlannedWay& way);

}  // namespace waferloom::optimize
