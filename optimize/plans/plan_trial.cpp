#include "optimize/plans/plan_trial.h"

#include <algorithm>
#include <utility>

#include "model/errors.h"
#include "optimize/placer_run.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"
#include "optimize/routes.h"
#include "optimize/search/longest_steps.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"
#include "sim/collective.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_pipeline.h"
#include "sim/report_json.h"
#include "sim/simulate.h"

// Problem: find out how good a plan is, with as little work as possible.
// Idea: three levels. The estimate lays the stages out and adds the time to fill the pipeline, the
// most loaded resource for the other micro-batches, and the updates. Planned routes correct it. The
// simulation runs the pipeline itself. A step does not begin if it might not end in the time that
// is left.
// Source: the estimate is PALM's Eq. 1 (arXiv:2406.03868) with links, ports and memory; the levels
// are ours (docs/planner.md).
// Cost: O(stages + channels + lanes) for an estimate, if the prices of its collectives are known;
// they are kept for all plans. Routes and simulation cost much more.
namespace waferloom::optimize {
namespace {

void note_memory(const sim::SettledPlan& settled, PlanTrial& candidate) {
  candidate.plan = settled.plan;
  candidate.complaint = settled.memory.complaint();
  candidate.memory_bytes = 0;
  for (const sim::StageMemory& stage : settled.memory.stages)
    candidate.memory_bytes += stage.total();
}

/// Measures how often a simulation asks whether it has to end.
class Looks {
 public:
  void add() {
    const Clock::time_point now = Clock::now();
    farthest_apart_ = std::max(farthest_apart_, now - last_);
    last_ = now;
  }
  /// The longest time between two questions, or between the beginning and the first question.
  Clock::duration farthest_apart() const { return farthest_apart_; }

 private:
  Clock::time_point last_ = Clock::now();
  Clock::duration farthest_apart_{0};
};

double per_s(double samples, double picoseconds) {
  return samples * static_cast<double>(sim::kPicosecondsPerSecond) / std::max(1.0, picoseconds);
}

sim::CutPlan cut_of(const PlanGround& ground, const PlanTrial& candidate) {
  return sim::cut_and_settle(ground.workload, candidate.plan, ground.hardware);
}

sim::PlannedPipeline on_its_tiles(const PlanGround& ground, const PlanTrial& candidate,
                                  sim::CutPlan cut, sim::ExchangeCache& exchanges) {
  return sim::lay_out_pipeline(ground.workload, std::move(cut), candidate.tiles, exchanges,
                               ground.memory_model);
}

/// How long parameters and states of the optimizer take, at least, through the ports of a memory
/// behind the edge: of a stage they come in and then go out, those of all stages share the ports.
double update_through_ports(const sim::PlannedPipeline& planned) {
  if (!planned.plan.trains() || planned.streams.empty()) return 0;
  double rate = 0;  // bytes a picosecond, in either direction
  for (const sim::PortSpec& port : planned.spec.ports) {
    if (port.is_memory) rate += port.most_bytes_per_ps;
  }
  double read = 0;
  double written = 0;
  double longest = 0;
  for (std::size_t i = 0; i < planned.memory.stages.size(); ++i) {
    if (!planned.streams[i]) continue;  // all stays in SRAM
    const sim::MemoryTraffic& update = planned.memory.stages[i].update;
    const auto in = static_cast<double>(update.read);
    const auto out = static_cast<double>(update.written);
    read += in;
    written += out;
    longest = std::max(longest, in + out);
  }
  const double bytes = std::max({longest, read, written});
  return bytes > 0 && rate > 0 ? bytes / rate : 0;
}

void promise(PlanTrial& candidate, const sim::PlannedPipeline& planned,
             const sim::LeastPeriod& least) {
  double fill = 0;
  sim::Picoseconds update = 0;
  for (const sim::StageSpec& stage : planned.spec.stages) {
    fill += static_cast<double>(stage.forward + stage.backward);
  }
  candidate.latency_s = fill * kPicosecond;
  // With v parts on the tiles of each of p stages, the fill is the work of a stage for a
  // micro-batch, and (p - 1) / v times that as bubble.
  fill *= (1 + static_cast<double>(candidate.plan.pipeline - 1) /
                   static_cast<double>(candidate.plan.chunks)) /
          static_cast<double>(candidate.plan.pipeline);
  for (const sim::StageService& service : planned.services) {
    update = std::max(update, service.update_left);
  }
  const auto slowest = static_cast<double>(least.most.busy_per_sample);
  const auto samples = static_cast<double>(candidate.plan.samples());
  // Data move once before the last work on them can begin.
  const double batch = planner::pipeline_time({fill, slowest}, candidate.plan.micro_batches) +
                       static_cast<double>(least.moves.busy_per_sample + update) +
                       update_through_ports(planned);
  candidate.trial.promise = least.most.name;
  candidate.trial.promised_per_s =
      candidate.plan.trains()
          ? per_s(samples * static_cast<double>(candidate.plan.micro_batches), batch)
          : per_s(samples, slowest);
}

sim::LeastPeriod least_period(const PlanGround& ground, const PlanTrial& candidate,
                              const sim::PlannedPipeline& planned) {
  return sim::least_period(planned.spec, ground.hardware, ground.exchanges.mesh(),
                           candidate.plan.routing);
}

void promise(const PlanGround& ground, PlanTrial& candidate, sim::CutPlan cut,
             sim::ExchangeCache& exchanges) {
  const sim::PlannedPipeline planned = on_its_tiles(ground, candidate, std::move(cut), exchanges);
  promise(candidate, planned,
          is_routed(candidate.plan, ground.hardware) ? sim::least_period_on_any_routes(planned.spec)
                                                     : least_period(ground, candidate, planned));
}

Problem timed_problem(const PlanGround& ground, const PlanTrial& from, EdgeWeights weights) {
  const StepTimer timer(ground.steps, Step::shapes);
  sim::PlanStages stages = sim::plan_stages(ground.workload, from.plan, ground.hardware,
                                            ground.memory_model, {}, &ground.exchanges);
  if (weights == EdgeWeights::bytes) return std::move(stages.problem);
  return priced(stages.problem, stage_prices(stages, from.routes));
}

/// What an exact simulation takes to its end, of a plan whose simulation was stopped by its work,
/// if the plan runs as fast as it promises. While a pipeline fills fewer transfers are under way
/// than later.
double whole_work(const PlanTrial& candidate, const sim::PlanReport& stopped) {
  const Plan& plan = candidate.plan;
  // Of a stream, behind the time of as many as it takes to fill it.
  const std::int64_t run =
      plan.trains() ? plan.micro_batches : plan.pipeline + sim::samples_until_rate(plan.pipeline);
  constexpr double kKept = 0.8;  // of a promise, more or less
  const double batch_ps = static_cast<double>(plan.samples() * run) /
                          (kKept * *candidate.trial.promised_per_s) *
                          static_cast<double>(sim::kPicosecondsPerSecond);
  const double done = std::clamp(static_cast<double>(stopped.run.whole_time) / batch_ps, 1e-9, 1.0);
  const auto work = static_cast<double>(stopped.run.work);
  constexpr double kOnceFilled = 2.5;  // as much for the same time
  constexpr double kMore = 1.1;        // that is left in any case
  const double whole = work * std::max(kMore, (kOnceFilled - (kOnceFilled - 1) * done) / done);
  return candidate.is_rough ? kRoughIsLess * whole : whole;
}

void refuse(PlanTrial& candidate, const std::string& reason) {
  candidate.stopped_run.reset();
  candidate.trial.verdict = Verdict::refused;
  candidate.trial.reason = reason;
}

}  // namespace

PlanGround::PlanGround(const Workload& network, const Hardware& wafer,
                       const sim::SimulateOptions& simulation, sim::MemoryModel memory)
    : workload(network),
      hardware(wafer),
      options(simulation),
      memory_model(memory),
      exchanges(wafer,
                simulation.network == sim::NetworkKind::analytic ? sim::Contention::ignored
                                                                 : sim::Contention::simulated,
                simulation.control),
      degrees(network, wafer) {}

sim::PlannedPipeline pipeline_of(const PlanGround& ground, const PlanTrial& candidate) {
  sim::PlannedPipeline planned =
      on_its_tiles(ground, candidate, cut_of(ground, candidate), ground.exchanges);
  if (!candidate.routes.tensors.empty())
    sim::set_plan_routes(planned, ground.hardware, candidate.routes);
  return planned;
}

std::optional<std::string> lay_out(const PlanGround& ground, PlanTrial& candidate) {
  return lay_out_with(ground, ground.exchanges, candidate);
}

std::optional<std::string> lay_out_with(const PlanGround& ground, sim::ExchangeCache& exchanges,
                                        PlanTrial& candidate) {
  const StepTimer timer(ground.steps, Step::estimate);
  try {
    candidate.tiles = sim::lay_out_stages(candidate.plan, ground.hardware);
    sim::CutPlan cut = cut_of(ground, candidate);
    note_memory(cut.settled, candidate);
    if (candidate.complaint.empty()) promise(ground, candidate, std::move(cut), exchanges);
  } catch (const RequestError& error) {
    return error.what();
  } catch (const InfeasibleError& error) {
    return error.what();
  }
  return std::nullopt;
}

void estimate(const PlanGround& ground, PlanTrial& candidate) {
  const StepTimer timer(ground.steps, Step::estimate);
  sim::CutPlan cut = cut_of(ground, candidate);
  note_memory(cut.settled, candidate);
  promise(ground, candidate, std::move(cut), ground.exchanges);
}

namespace {

/// Does what corrects a promise. Where the run is cut, or the plan is wrong, the promise stays: the
/// simulation will report the error.
template <typename Correct>
void unless_refused(Correct&& correct) {
  try {
    correct();
  } catch (const RunCut&) {
    return;
  } catch (const RequestError&) {
    return;
  } catch (const InfeasibleError&) {
    return;
  }
}

void rehearse(const PlanGround& ground, const SearchControl& control,
              const sim::PlannedPipeline& planned, PlanTrial& candidate) {
  sim::SimulateOptions options = ground.options;
  options.network = sim::NetworkKind::analytic;
  options.routing = planned.plan.routing;
  options.control = static_cast<const RunControl&>(control);
  const sim::PlanReport found = sim::simulate_plan(planned, ground.hardware, options);
  if (found.run.stopped || found.run.simulated == 0) return;
  candidate.rehearsal =
      PlanSpeed{found.samples_per_s, static_cast<double>(found.run.first_sample) * kPicosecond};
}

}  // namespace

void rehearse_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate) {
  if (control.is_cut() || !control.has_time_for(ground.steps.of(Step::estimate))) return;
  unless_refused([&] {
    sim::PlannedPipeline planned = pipeline_of(ground, candidate);
    if (is_routed(candidate.plan, ground.hardware) && candidate.routes.tensors.empty()) {
      // Of links that are never short only the length of a way counts, as that of any shortest.
      sim::spread_over_ports(planned.spec);
      planned.plan.routing = Routing::xy;
    }
    rehearse(ground, control, planned, candidate);
  });
}

PlanSpeed estimated_speed(const PlanTrial& candidate) {
  return {*candidate.trial.promised_per_s, candidate.latency_s};
}

PlanSpeed measured_speed(const PlanTrial& candidate) {
  const Metrics& metrics = candidate.trial.measured->metrics;
  return {metrics.samples_per_s, static_cast<double>(metrics.latency_ps) * kPicosecond};
}

PlanSpeed most_promised(const PlanTrial& candidate) {
  PlanSpeed most = estimated_speed(candidate);
  if (!candidate.rehearsal) return most;
  most.samples_per_s = std::min(most.samples_per_s, candidate.rehearsal->samples_per_s);
  most.latency_s = std::max(most.latency_s, candidate.rehearsal->latency_s);
  return most;
}

void route_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate) {
  if (!is_routed(candidate.plan, ground.hardware) || !candidate.routes.tensors.empty()) return;
  if (control.is_cut() || !control.has_time_for(ground.steps.of(Step::routing))) return;
  unless_refused([&] {
    sim::PlannedPipeline planned = pipeline_of(ground, candidate);
    if (!route_plan(ground, control, candidate, planned)) return;
    promise(candidate, planned, least_period(ground, candidate, planned));
    rehearse(ground, control, planned, candidate);
  });
}

namespace {

/// The run of a plan, at its beginning; null: no time is left to route it.
std::shared_ptr<sim::PlanRun> begun_run(const PlanGround& ground, const SearchControl& control,
                                        PlanTrial& candidate, bool is_rough,
                                        const RunControl& asked) {
  sim::PlannedPipeline planned = pipeline_of(ground, candidate);
  if (!route_plan(ground, control, candidate, planned)) return nullptr;
  sim::SimulateOptions options = ground.options;
  options.routing = candidate.plan.routing;
  options.control = asked;
  candidate.is_rough = is_rough;
  candidate.run_work = 0;
  if (is_rough) options.patience = std::min(options.patience, kRoughPatience);
  return std::make_shared<sim::PlanRun>(std::move(planned), ground.hardware, options);
}

}  // namespace

void simulate_trial(const PlanGround& ground, const SearchControl& control, PlanTrial& candidate,
                    const TrialRun& run) {
  candidate.work = 0;
  candidate.trial.verdict = Verdict::cut;
  candidate.trial.reason = "its simulation was cut by the time limit or a signal";
  Clock::duration needed = ground.steps.of(Step::simulation);
  if (is_routed(candidate.plan, ground.hardware) && candidate.routes.tensors.empty()) {
    needed += ground.steps.of(Step::routing);
  }
  if (control.is_cut() || !control.has_time_for(needed)) return;
  try {
    Looks looks;
    RunControl looked_at = ground.options.control;
    looked_at.asked = [&] {
      looks.add();
      return ground.options.control.asked && ground.options.control.asked();
    };
    const bool is_rough = run.exactness == Exactness::rough;
    if (!candidate.stopped_run || candidate.is_rough != is_rough) {
      candidate.stopped_run = begun_run(ground, control, candidate, is_rough, looked_at);
      if (!candidate.stopped_run) return;
    }
    sim::PlanReport found = candidate.stopped_run->go_on(run.most_work, looked_at);
    candidate.work = found.run.work - candidate.run_work;
    candidate.run_work = found.run.work;
    if (found.run.stopped_by_work) {
      candidate.needed_work = whole_work(candidate, found);
      candidate.trial.verdict = Verdict::outranked;
      candidate.trial.reason = "its simulation is more work than this --effort allows one plan";
    }
    if (found.run.stopped || found.run.simulated == 0) return;
    candidate.stopped_run.reset();
    looks.add();
    ground.steps.note(Step::simulation, looks.farthest_apart());
    candidate.trial.measured =
        Measured{{found.samples_per_s, found.run.first_sample, candidate.memory_bytes},
                 sim::bound_name(found.run.bound),
                 found.run.bound_by,
                 found.run.samples * candidate.plan.samples(),
                 found.rate_of,
                 found.use,
                 found.run.bottleneck_of_each(candidate.plan.samples())};
    candidate.link_busy = sim::link_busy(found.run, ground.hardware);
    found.run.link_bytes = {};  // a hundred megabytes on a large wafer
    candidate.run = std::move(found);
    candidate.trial.verdict = candidate.complaint.empty() ? Verdict::slower : Verdict::memory;
    candidate.trial.reason = candidate.complaint;
  } catch (const RunCut&) {
    return;
  } catch (const RequestError& error) {
    refuse(candidate, error.what());
  } catch (const InfeasibleError& error) {
    refuse(candidate, error.what());
  }
}

PlanTrial placed_trial(const PlanGround& ground, const PlanTrial& from, const std::string& strategy,
                       const SearchControl& control, EdgeWeights weights) {
  const bool by_bytes = weights == EdgeWeights::bytes;
  PlanTrial candidate{{from.trial.name + (by_bytes ? ", placed" : ", by prices"),
                       by_bytes ? "its stages where place lays them"
                                : "the same where edges weigh as the prices of its routes"},
                      from.plan,
                      {}};
  try {
    const Problem problem = timed_problem(ground, from, weights);
    const PlacerRun run{problem, candidate.trial.name, strategy, {}, nullptr};
    const PlacerOutcome outcome = run_placer(run, control);
    candidate.trial.reason =
        outcome.result.infeasible ? outcome.result.infeasible->message : "no placement was found";
    if (!outcome.best) return candidate;
    if (!control.has_time_for(ground.steps.of(Step::estimate))) {
      candidate.trial.verdict = Verdict::cut;
      candidate.trial.reason = "the time limit or a signal came before it was estimated";
      return candidate;
    }
    candidate.tiles = rectangles(problem, outcome.best->placement);
    estimate(ground, candidate);
  } catch (const RunCut&) {
    candidate.trial.verdict = Verdict::cut;
    candidate.trial.reason = "the time limit or a signal came before it was estimated";
    candidate.tiles.clear();
  } catch (const RequestError& error) {
    candidate.trial.reason = error.what();
    candidate.tiles.clear();
  } catch (const InfeasibleError& error) {
    candidate.trial.reason = error.what();
    candidate.tiles.clear();
  }
  return candidate;
}

}  // namespace waferloom::optimize
