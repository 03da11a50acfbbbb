#pragma once

#include "model/run_control.h"
#include "optimize/trial.h"
#include "optimize/ways.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// How fast a network runs that is cut over a machine's tiles as over a rack of chips. Of all
/// degrees, 64 are priced by DFModel that compute fastest, and about as many that are spread over
/// the others, with each micro-batch that fits; those that promise most are laid out, and the best
/// few of them simulated: on meshes of many tiles, where routes take long, only those that promise
/// more than `to_beat`, in samples a second. What is measured stands in `way`, else the best price;
/// a way without room says why. Deterministic. O(degrees), the mappings of those, and the
/// simulations, whose work is bounded. Throws RunCut before anything is priced.
void find_cut(const PlanGround& ground, const planner::PlanSpace& space, double to_beat,
              int threads, const RunControl& control, PlannedWay& way);

}  // namespace waferloom::optimize
