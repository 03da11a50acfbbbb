#include "optimize/ways/cut_way.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/errors.h"
#include "model/text.h"
#include "optimize/plan.h"
#include "optimize/plans/large_mesh.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_trial.h"

namespace waferloom::optimize {
namespace {

/// "TP4 DP2 PP8".
std::string degrees_text(const Plan& plan) {
  const std::string name = planner::plan_name(plan);
  return name.substr(0, name.find(','));
}

void set_estimated(const PlanGround& ground, const PlanTrial& trial, PlannedWay& way) {
  way.samples_per_s = *trial.trial.promised_per_s;
  way.has_all_logits = true;
  way.is_priced = true;
  way.tiles = trial.plan.tiles() * trial.plan.pipeline;
  way.how = degrees_text(trial.plan);
  way.memory_bytes = static_cast<double>(trial.memory_bytes);
  way.latency_s = 0;
  for (const auto& stage : pipeline_of(ground, trial).services) {
    const sim::Picoseconds both = stage.forward + (trial.plan.trains() ? stage.backward : 0);
    way.latency_s += static_cast<double>(both) * kPicosecond;
  }
  way.note =
      "estimated with links, ports and memory, not simulated, latency without transfers; "
      "bound by " +
      trial.trial.promise;
}

/// The plan that the search would simulate first: on a mesh of many tiles that takes long.
bool estimate_first(const PlanGround& ground, PlanEstimates& estimates,
                    const SearchControl& control, PlannedWay& way) {
  const std::vector<PlanTrial> proposed = estimates.proposed(control, {});
  if (!proposed.empty()) {
    set_estimated(ground, proposed.front(), way);
    return true;
  }
  control.end_if_cut();
  way.lacks = estimates.why_none();
  if (way.lacks.empty()) way.lacks = "no degrees divide the network";
  return false;
}

}  // namespace

void set_measured(const PlanTrial& trial, PlannedWay& way) {
  const Measured& measured = trial.trial.measured.value();
  way.samples_per_s = measured.metrics.samples_per_s;
  way.latency_s = static_cast<double>(measured.metrics.latency_ps) * kPicosecond;
  way.bottleneck = measured.bottleneck;
  way.memory_bytes = static_cast<double>(trial.memory_bytes);
  way.has_all_logits = true;
  way.is_priced = false;
}

bool estimate_cut(const PlanGround& ground, const planner::PlanSpace& space, double rival_per_s,
                  const SearchControl& control, PlannedWay& way) {
  demand_cuttable(ground.workload, space.base.trains());
  PassedOverCounts passed_over;
  PlanEstimates estimates(ground, space, passed_over);
  estimates.set_rival(rival_per_s);
  if (is_large(ground.hardware)) return estimate_first(ground, estimates, control, way);
  const std::optional<PlanTrial> first = estimates.first(control);
  control.end_if_cut();
  if (first) set_estimated(ground, *first, way);
  return first.has_value();
}

std::optional<Plan> find_cut(const PlanGround& ground, const planner::PlanSpace& space,
                             const SearchControl& control, PlannedWay& way) {
  if (is_large(ground.hardware)) return std::nullopt;
  demand_cuttable(ground.workload, space.base.trains());
  PlanFindings found;
  try {
    found = plan_network({}, ground, space, control);
  } catch (const SearchEnded& ended) {
    switch (ended.reason()) {
      case EndReason::infeasible:
        throw InfeasibleError(ended.what());
      case EndReason::time_limit:
        throw RunCut(CutReason::time_limit);
      case EndReason::interrupted:
        throw RunCut(CutReason::interrupted);
    }
  }
  const PlanTrial& best = found.winner().trial;
  set_measured(best, way);
  way.tiles = best.plan.tiles() * best.plan.pipeline;
  way.how = degrees_text(best.plan);
  way.note = fmt::format("{} plans simulated on the {} network", found.simulated(),
                         sim::network_name(ground.options.network));
  return found.plan;
}

}  // namespace waferloom::optimize
