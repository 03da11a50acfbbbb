#pragma once

#include "model/run_control.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"
#include "planner/wafer_ways.h"

namespace waferloom::optimize {

/// How fast a network runs that is cut over a wafer as over a rack of chips: the way "cut", priced
/// by DFModel, neither laid out nor simulated. Of all degrees, 64 are priced that compute fastest,
/// and about as many that are spread over the others, with each micro-batch that fits. A way
/// without room says why. Deterministic. O(degrees), and the mappings of those. Throws RunCut.
planner::WaferWay price_cut(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                            const RunControl& control = {});

}  // namespace waferloom::optimize
