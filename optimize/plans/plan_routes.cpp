#include "optimize/plans/plan_routes.h"

#include "optimize/routes.h"
#include "optimize/search/longest_steps.h"
#include "planner/plan_space.h"
#include "sim/plan_pipeline.h"

namespace waferloom::optimize {

bool is_routed(const Plan& plan, const Hardware& hardware) {
  return plan.routing == Routing::planned && hardware.topology == Topology::mesh;
}

void route_by_rule_under_limit(const SearchControl& control, PlanTrial& candidate) {
  if (!control.time_limit || candidate.plan.routing != Routing::planned) return;
  candidate.plan.routing = Routing::xy;
  candidate.trial.name = planner::plan_name(candidate.plan);
}

bool route_plan(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate,
                sim::PlannedPipeline& planned) {
  if (!is_routed(candidate.plan, ground.hardware) || !candidate.routes.tensors.empty()) return true;
  const StepTimer timer(ground.steps, Step::routing);
  const Traffic traffic = sim::plan_traffic(planned, ground.hardware);
  router::RouteOptions options;
  options.control = static_cast<const RunControl&>(control);
  router::RouteResult found = verified_route(traffic, ground.hardware, options);
  if (!found.infeasible.empty() && found.end == router::RouteEnd::stopped) return false;
  if (!found.infeasible.empty()) {
    candidate.plan.routing = Routing::xy;
    planned.plan.routing = Routing::xy;
    candidate.trial.description += "; " + found.infeasible;
    return true;
  }
  candidate.links_bind = found.busiest.time_ps > static_cast<double>(traffic.period_ps);
  sim::set_plan_routes(planned, ground.hardware, found.routes);
  candidate.routes = std::move(found.routes);
  return true;
}

}  // namespace waferloom::optimize
