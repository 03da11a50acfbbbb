#include "optimize/simulation_runs.h"

#include <algorithm>
#include <utility>

#include "kernels/tile_parts.h"
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
  options.threads = run.threads;
  CasePipeline made = case_pipeline(run.problem, run.placement, run.hardware, run.training,
                                    run.options.routing, options);
  if (made.is_cut) throw RunCut(control.cut_reason());
  if (!made.unrouted.empty()) throw InfeasibleError(made.unrouted);
  return std::move(made.spec);
}

/// A batch of a pipeline in training, as it is planned (planner/pipeline/stage_fronts.cpp): stages
/// keep more samples than those that others work on, and edges a third one, since gradients that go
/// the other way take turns with them. Stages stand in the order of the kernels' ids.
void make_batch(const CaseSimulation& run, sim::PipelineSpec& spec) {
  std::vector<std::pair<std::int64_t, sim::Picoseconds>> by_id;
  for (KernelIndex i = 0; i < run.problem.kernel_count(); ++i) {
    // Kernels without a list have one shape.
    const std::int64_t option = run.placement.kernels[i].execution.option;
    const auto shape = static_cast<std::size_t>(std::max<std::int64_t>(1, option) - 1);
    by_id.emplace_back(run.problem.kernels()[i].id, run.batch->updates.at(i).at(shape));
  }
  std::sort(by_id.begin(), by_id.end());
  for (std::size_t stage = 0; stage < by_id.size(); ++stage) {
    spec.stages[stage].most_in_flight *= planner::kInFlightOfStage;
    sim::StageUpdate& update = spec.stages[stage].update.emplace();
    update.exchange = update.exchange_left = by_id[stage].second;
  }
  if (run.hardware.buffer_samples) return;
  for (sim::ChannelSpec& channel : spec.channels) {
    if (!channel.is_outside()) channel.buffer_samples += 1;
  }
}

/// The rate of a run that is a batch, with its update.
void set_rate_of_batch(const PipelineBatch& batch, sim::ThroughputReport& found) {
  if (found.stopped) return;
  found.rate_of = sim::RateOf::whole_run;
  found.period_samples = found.samples;
  found.period = std::max({sim::Picoseconds{1}, found.makespan, found.updated});
  found.samples_per_s =
      batch.samples_of_replica * as_double(sim::kPicosecondsPerSecond) / as_double(found.period);
}

}  // namespace

std::optional<PipelineBatch> batch_of(const planner::WaferPipeline& pipeline,
                                      const Hardware& hardware) {
  if (!pipeline.trains()) return std::nullopt;
  PipelineBatch batch{
      pipeline.batch_of_replica(), as_double(pipeline.batch) / as_double(pipeline.replicas), {}};
  for (std::int64_t replica = 0; replica < pipeline.replicas; ++replica) {
    for (const planner::PipelineStage& stage : pipeline.stages) {
      std::vector<sim::Picoseconds>& updates = batch.updates.emplace_back();
      for (const planner::StageShape& shape : stage.shapes) {
        updates.push_back(sim::service_time({shape.update_cycles, 1}, hardware));
      }
    }
  }
  return batch;
}

void set_batch(const PipelineBatch& batch, CaseSimulation& run) {
  run.training = true;
  run.options.samples = batch.samples;
  run.options.extrapolate = false;
  run.batch = &batch;
}

sim::ThroughputReport simulate_case(const CaseSimulation& run, const RunControl& control) {
  sim::PipelineSpec spec = routed_pipeline(run, control);
  if (run.batch != nullptr) make_batch(run, spec);
  sim::SimulateOptions options = run.options;
  if (run.listener) run.listener(spec, options);
  sim::ThroughputReport found = sim::simulate(spec, run.hardware, options);
  if (run.batch != nullptr) set_rate_of_batch(*run.batch, found);
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
