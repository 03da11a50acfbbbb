#pragma once

#include <optional>

#include "model/plan.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "optimize/ways.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Sets what the simulation of a plan showed: rate, latency, bottleneck, memory.
void set_measured(const PlanTrial& trial, PlannedWay& way);

// How fast a network runs that is cut over a machine's tiles as over a rack of chips. Both throw
// RunCut before anything was estimated, or simulated, and are deterministic.

/// By an estimate: soon, of the first plan that can run; on meshes of many tiles, where routes take
/// minutes, of the best that the search would simulate, or of one that is hopeless beside what
/// there is already, `rival_per_s` samples a second. False where there is none yet; a way without
/// room says why, or throws InfeasibleError.
bool estimate_cut(const PlanGround& ground, const planner::PlanSpace& space, double rival_per_s,
                  const SearchControl& control, PlannedWay& way);
/// By the search that `plan --way cut` does, whose plan is the answer; nothing on meshes of many
/// tiles, where `way` stays as it was estimated. Throws InfeasibleError where no plan can run.
std::optional<Plan> find_cut(const PlanGround& ground, const planner::PlanSpace& space,
                             const SearchControl& control, PlannedWay& way);

}  // namespace waferloom::optimize
