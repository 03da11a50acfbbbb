#include "optimize/simulation_runs.h"

#include <utility>

#include "optimize/cases/case_pipeline.h"
#include "sim/contest_pipeline.h"
#include "sim/plan_pipeline.h"

namespace waferloom::optimize {
namespace {

sim::PipelineSpec routed_pipeline(const CaseSimulation& run, const RunControl& control) {
  if (run.options.routing == Routing::planned && run.routes) {
    const Traffic traffic =
        sim::contest_traffic(run.problem, run.placement, run.hardware, run.training);
    return sim::contest_pipeline(run.problem, run.placement, run.hardware, run.training,
                                 run.routes(traffic));
  }
  router::RouteOptions options;
  options.control = control;
  CasePipeline made = case_pipeline(run.problem, run.placement, run.hardware, run.training,
                                    run.options.routing, options);
  if (made.is_cut) throw RunCut(control.cut_reason());
  if (!made.unrouted.empty()) throw InfeasibleError(made.unrouted);
  return std::move(made.spec);
}

}  // namespace

sim::ThroughputReport simulate_case(const CaseSimulation& run, const RunControl& control) {
  const sim::PipelineSpec spec = routed_pipeline(run, control);
  sim::SimulateOptions options = run.options;
  if (run.listener) run.listener(spec, options);
  sim::ThroughputReport found = sim::simulate(spec, run.hardware, options);
  found.other_networks = sim::run_other_networks(spec, run.hardware, options, found);
  return found;
}

sim::PlanReport simulate_planned(sim::PlannedPipeline& planned, const PlanSimulation& run,
                                 const RunControl& control) {
  if (!planned.memory.fits_all() && !run.allows_infeasible) {
    throw NoRoomForStages(planned.memory.complaint());
  }
  if (run.options.routing == Routing::planned) {
    const Traffic traffic = sim::plan_traffic(planned, run.hardware);
    sim::set_plan_routes(
        planned, run.hardware,
        run.routes ? run.routes(traffic) : demanded_route(traffic, run.hardware, control).routes);
  }
  sim::SimulateOptions options = run.options;
  if (run.listener) run.listener(planned.spec, options);
  sim::PlanReport found = sim::simulate_plan(planned, run.hardware, options);
  found.run.other_networks = sim::run_other_networks(planned, run.hardware, options, found.run);
  return found;
}

}  // namespace waferloom::optimize
