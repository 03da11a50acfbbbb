#include "optimize/plan_trial.h"

#include <algorithm>
#include <utility>

#include "model/errors.h"
#include "optimize/placer_run.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/prices.h"
#include "planner/plan_space.h"
#include "sim/least_period.h"
#include "sim/plan_problem.h"
#include "sim/plan_routes.h"
#include "sim/simulation_report.h"
#include "sim/stage_layout.h"

namespace waferloom::optimize {
namespace {

void note_memory(const sim::SettledPlan& settled, PlanTrial& one) {
  one.plan = settled.plan;
  one.complaint = settled.memory.complaint();
  one.memory_bytes = 0;
  for (const sim::StageMemory& stage : settled.memory.stages) one.memory_bytes += stage.total();
}

/// When a simulation looks whether it has to end.
class Looks {
 public:
  void add() {
    const Clock::time_point now = Clock::now();
    farthest_apart_ = std::max(farthest_apart_, now - last_);
    last_ = now;
  }
  /// From the beginning to the first, or between two.
  Clock::duration farthest_apart() const { return farthest_apart_; }

 private:
  Clock::time_point last_ = Clock::now();
  Clock::duration farthest_apart_{0};
};

double per_s(double samples, double picoseconds) {
  return samples * static_cast<double>(sim::kPicosecondsPerSecond) / std::max(1.0, picoseconds);
}

sim::CutPlan cut_of(const PlanGround& ground, const PlanTrial& one) {
  return sim::cut_and_settle(ground.workload, one.plan, ground.hardware);
}

sim::PlannedPipeline on_its_tiles(const PlanGround& ground, const PlanTrial& one,
                                  sim::CutPlan cut) {
  return sim::lay_out_pipeline(ground.workload, std::move(cut), one.tiles, ground.exchanges,
                               ground.streams);
}

void promise(PlanTrial& one, const sim::PlannedPipeline& planned, const sim::LeastPeriod& least) {
  double fill = 0;
  sim::Picoseconds update = 0;
  for (const sim::StageSpec& stage : planned.spec.stages) {
    fill += static_cast<double>(stage.forward + stage.backward);
  }
  // Parts that share tiles fill the pipeline as often as a part passes all of them.
  fill *= (1 + static_cast<double>(one.plan.pipeline - 1) / static_cast<double>(one.plan.chunks)) /
          static_cast<double>(one.plan.pipeline);
  for (const sim::StageService& service : planned.services) {
    update = std::max(update, service.update_left);
  }
  const auto slowest = static_cast<double>(least.most.busy_per_sample);
  const auto samples = static_cast<double>(one.plan.samples());
  // What moves has moved once before the last work on it begins.
  const double batch = planner::pipeline_time(fill, slowest, one.plan.micro_batches) +
                       static_cast<double>(least.moves.busy_per_sample + update);
  one.trial.promise = least.most.name;
  one.trial.promised_per_s =
      one.plan.trains() ? per_s(samples * static_cast<double>(one.plan.micro_batches), batch)
                        : per_s(samples, slowest);
}

sim::LeastPeriod least_period(const PlanGround& ground, const PlanTrial& one,
                              const sim::PlannedPipeline& planned) {
  return sim::least_period(planned.spec, ground.hardware, ground.exchanges.mesh(),
                           one.plan.routing);
}

void promise(const PlanGround& ground, PlanTrial& one, sim::CutPlan cut) {
  const sim::PlannedPipeline planned = on_its_tiles(ground, one, std::move(cut));
  promise(one, planned,
          is_routed(one.plan, ground.hardware) ? sim::least_period_on_any_routes(planned.spec)
                                               : least_period(ground, one, planned));
}

Problem timed_problem(const PlanGround& ground, const PlanTrial& from, EdgeWeights weights) {
  const StepTimer timer(ground.steps, Step::shapes);
  sim::PlanStages stages = sim::plan_stages(ground.workload, from.plan, ground.hardware,
                                            ground.streams, {}, &ground.exchanges);
  if (weights == EdgeWeights::bytes) return std::move(stages.problem);
  return priced(stages.problem, stage_prices(stages, from.routes));
}

}  // namespace

PlanGround::PlanGround(const Workload& network, const Hardware& wafer,
                       const sim::SimulateOptions& simulation, sim::Streams memory)
    : workload(network),
      hardware(wafer),
      options(simulation),
      streams(memory),
      exchanges(wafer, simulation.network == sim::NetworkKind::analytic ? sim::Meeting::ignored
                                                                        : sim::Meeting::shares) {}

sim::PlannedPipeline pipeline_of(const PlanGround& ground, const PlanTrial& one) {
  sim::PlannedPipeline planned = on_its_tiles(ground, one, cut_of(ground, one));
  if (!one.routes.tensors.empty()) sim::set_plan_routes(planned, ground.hardware, one.routes);
  return planned;
}

std::optional<std::string> lay_out(const PlanGround& ground, PlanTrial& one) {
  const StepTimer timer(ground.steps, Step::estimate);
  try {
    one.tiles = sim::lay_out_stages(one.plan, ground.hardware);
    sim::CutPlan cut = cut_of(ground, one);
    note_memory(cut.settled, one);
    if (one.complaint.empty()) promise(ground, one, std::move(cut));
  } catch (const RequestError& error) {
    return error.what();
  }
  return std::nullopt;
}

void estimate(const PlanGround& ground, PlanTrial& one) {
  const StepTimer timer(ground.steps, Step::estimate);
  sim::CutPlan cut = cut_of(ground, one);
  note_memory(cut.settled, one);
  promise(ground, one, std::move(cut));
}

void route_trial(const PlanGround& ground, const RunControl& control, PlanTrial& one) {
  if (!is_routed(one.plan, ground.hardware) || !one.routes.tensors.empty()) return;
  if (control.is_cut() || !control.has_time_for(ground.steps.of(Step::routing))) return;
  try {
    sim::PlannedPipeline planned = pipeline_of(ground, one);
    if (!route_plan(ground, control, one, planned)) return;
    promise(one, planned, least_period(ground, one, planned));
  } catch (const RequestError&) {
    return;  // its simulation tells
  }
}

void simulate_trial(const PlanGround& ground, const RunControl& control, PlanTrial& one) {
  one.trial.verdict = Verdict::cut;
  one.trial.reason = "its simulation was cut by the time limit or a signal";
  Clock::duration needed = ground.steps.of(Step::simulation);
  if (is_routed(one.plan, ground.hardware) && one.routes.tensors.empty()) {
    needed += ground.steps.of(Step::routing);
  }
  if (control.is_cut() || !control.has_time_for(needed)) return;
  try {
    Looks looks;
    sim::SimulateOptions options = ground.options;
    sim::PlannedPipeline planned = pipeline_of(ground, one);
    if (!route_plan(ground, control, one, planned)) return;
    options.routing = one.plan.routing;
    options.stopped = [&] {
      looks.add();
      return ground.options.stopped && ground.options.stopped();
    };
    sim::PlanReport found = sim::simulate_plan(planned, ground.hardware, options);
    if (found.run.stopped || found.run.simulated == 0) return;
    looks.add();
    ground.steps.note(Step::simulation, looks.farthest_apart());
    one.trial.measured = Measured{{found.samples_per_s, found.run.first_sample, one.memory_bytes},
                                  sim::bound_name(found.run.bound),
                                  found.run.bound_by,
                                  found.run.samples * one.plan.samples(),
                                  found.run.steady,
                                  found.use};
    one.link_busy = sim::link_busy(found.run.link_bytes, found.run.simulated_time, ground.hardware);
    found.run.link_bytes = {};  // of a large wafer a hundred megabytes
    one.run = std::move(found);
    one.trial.verdict = one.complaint.empty() ? Verdict::slower : Verdict::memory;
    one.trial.reason = one.complaint;
  } catch (const RequestError& error) {
    one.trial.verdict = Verdict::refused;
    one.trial.reason = error.what();
  }
}

PlanTrial placed_trial(const PlanGround& ground, const PlanTrial& from, const std::string& strategy,
                       const RunControl& control, EdgeWeights weights) {
  const bool by_bytes = weights == EdgeWeights::bytes;
  PlanTrial one{{from.trial.name + (by_bytes ? ", placed" : ", by prices"),
                 by_bytes ? "its stages where place lays them"
                          : "the same where edges weigh as the prices of its routes"},
                from.plan,
                {}};
  try {
    const Problem problem = timed_problem(ground, from, weights);
    const PlacerRun run{problem, one.trial.name, strategy, {}, nullptr};
    const PlacerOutcome outcome = run_placer(run, control);
    one.trial.reason =
        outcome.result.infeasible ? outcome.result.infeasible->message : "no placement was found";
    if (!outcome.best) return one;
    if (!control.has_time_for(ground.steps.of(Step::estimate))) {
      one.trial.verdict = Verdict::cut;
      one.trial.reason = "the time limit or a signal came before it was estimated";
      return one;
    }
    one.tiles = rectangles(problem, outcome.best->placement);
    estimate(ground, one);
  } catch (const RequestError& error) {
    one.trial.reason = error.what();
    one.tiles.clear();
  }
  return one;
}

}  // namespace waferloom::optimize
