#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/plan.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_search.h"
#include "optimize/plans/search_budget.h"

namespace waferloom::optimize {
namespace {

double seconds(sim::Picoseconds time) { return static_cast<double>(time) * kPicosecond; }

/// Seconds of a batch on the stage that computes longest, by what the simulation saw.
planner::BatchTimes simulated_parts(const sim::PlannedPipeline& planned,
                                    const sim::PlanReport& report) {
  planner::BatchTimes parts;
  std::size_t slowest = 0;
  for (std::size_t i = 0; i < report.run.stages.size(); ++i) {
    if (report.run.stages[i].compute > report.run.stages[slowest].compute) slowest = i;
  }
  const auto& stage = report.run.stages[slowest];
  const std::int64_t micro_batches = report.run.simulated;
  sim::Picoseconds tensor = 0;
  sim::Picoseconds data = 0;
  sim::Picoseconds update_left = 0;
  for (std::size_t i = slowest; i < planned.services.size(); i += report.run.stages.size()) {
    const sim::StageService& service = planned.services[i];
    tensor += micro_batches * service.tensor_exchange;
    data += micro_batches * service.data_exchange;
    update_left += service.update_left;
  }
  parts[planner::BatchPart::compute] = seconds(stage.compute);
  parts[planner::BatchPart::memory] = seconds(stage.edge);
  parts[planner::BatchPart::tensor] = seconds(tensor);
  // What tiles exchange is communication too.
  parts[planner::BatchPart::pipeline] =
      seconds(std::max<sim::Picoseconds>(0, stage.communication - tensor - data));
  parts[planner::BatchPart::data] = seconds(data);
  parts[planner::BatchPart::bubble] = seconds(stage.stalled) + seconds(stage.idle);
  if (!planned.plan.trains()) {
    // What was extrapolated goes on as what was seen.
    const double longer = seconds(report.batch) / parts.total_s();
    for (double& part : parts.seconds) part *= longer;
    return parts;
  }
  parts[planner::BatchPart::data] += seconds(update_left);
  // What is left of the batch behind the last gradient: states that come in and go out.
  const double rest = seconds(report.batch) - parts.total_s();
  parts[rest < 0 ? planner::BatchPart::bubble : planner::BatchPart::update] += rest;
  return parts;
}

/// The trials of a search, the best first, those that have not run last.
std::vector<PlannedTrial> ranked(const std::vector<PlanTrial>& trials,
                                 const PlanEstimates& estimates) {
  std::vector<PlannedTrial> all;
  for (const PlanTrial& trial : trials) {
    PlannedTrial planned_trial{trial};
    if (trial.trial.verdict == Verdict::slower) planned_trial.objective = estimates.measured(trial);
    all.push_back(std::move(planned_trial));
  }
  const auto runs = [](const PlannedTrial& planned_trial) {
    return planned_trial.trial.trial.verdict == Verdict::slower;
  };
  std::stable_sort(all.begin(), all.end(), [&](const PlannedTrial& a, const PlannedTrial& b) {
    if (runs(a) != runs(b)) return runs(a);
    return runs(a) && a.objective < b.objective;
  });
  all.front().trial.trial.verdict = Verdict::best;
  return all;
}

/// A variant may divide other things among replicas than its candidate, or compute more again, so
/// the models price it anew; the winner, trials[0], even when there is no time left.
void price_trials(std::vector<PlannedTrial>& trials, planner::PlanTimer& timer,
                  const SearchControl& control) {
  std::vector<Plan> plans;
  for (const PlannedTrial& planned_trial : trials) plans.push_back(planned_trial.trial.plan);
  timer.prepare({plans.front()}, control.threads);
  const std::size_t priced = timer.prepare(plans, control.threads, control) ? trials.size() : 1;
  for (std::size_t i = 0; i < priced; ++i) {
    trials[i].dfmodel = timer.dfmodel(plans[i]);
    trials[i].amped = timer.amped(plans[i]);
  }
}

/// A batch of training was run whole. Of inference what was extrapolated goes on as what was seen.
PartComparison compared(const PlannedTrial& winner, const PlanGround& ground) {
  const PlanTrial& best = winner.trial;
  PartComparison comparison{*winner.dfmodel, winner.amped, {}, *best.run};
  comparison.simulated = simulated_parts(pipeline_of(ground, best), comparison.report);
  return comparison;
}

/// Whether activations of some stage stream, so that partitions of its layers say what moves.
bool streams_activations(const PlanGround& ground, const Plan& plan) {
  if (ground.memory_model == sim::MemoryModel::ignored) return false;
  const sim::CutPlan cut = sim::cut_and_settle(ground.workload, plan, ground.hardware);
  const std::vector<sim::StageMemory>& stages = cut.settled.memory.stages;
  return std::any_of(stages.begin(), stages.end(), [](const sim::StageMemory& stage) {
    return stage.use == sim::SramUse::activation_stream ||
           stage.use == sim::SramUse::weight_stationary;
  });
}

/// The winner's plan with the mapping of a layer; without its partitions where these would change
/// what streams: the plan ran without.
Plan with_layer(const PlanGround& ground, Plan plan,
                const std::optional<planner::OperatorMapping>& mapping) {
  if (!mapping || !plan.layer.partitions.empty()) return plan;
  for (std::size_t i = 0; i < mapping->sharding.size(); ++i) {
    plan.layer.sharding[mapping->whole.kernels[i].name] =
        planner::sharding_name(mapping->sharding[i]);
  }
  if (streams_activations(ground, plan)) return plan;
  for (const std::vector<std::size_t>& partition : mapping->partitions) {
    std::vector<std::string>& names = plan.layer.partitions.emplace_back();
    for (const std::size_t kernel : partition) {
      names.push_back(mapping->forward.kernels[kernel].name);
    }
  }
  return plan;
}

}  // namespace

std::size_t PlanFindings::simulated() const {
  return static_cast<std::size_t>(std::count_if(
      trials.begin(), trials.end(),
      [](const PlannedTrial& candidate) { return candidate.trial.trial.measured.has_value(); }));
}

PlanFindings plan_network(const PlanJob& job, const PlanGround& ground,
                          const planner::PlanSpace& space, const SearchControl& control) {
  demand_cuttable(ground.workload, space.base.trains());
  PassedOverCounts passed_over;
  PlanEstimates estimates(ground, space, passed_over, {job.model, job.objective});
  PlanSearch search(ground, space, estimates, {plan_budget(job.top, job.places), job.strategy},
                    passed_over, control);
  search.run();
  ground.exchanges.ignore_cuts();
  PlanFindings found;
  found.counts = estimates.counts();
  found.trials = ranked(search.trials(), estimates);
  found.ended_by = search.ended_by();
  price_trials(found.trials, estimates.timer(), control);
  found.layer = estimates.timer().layer(found.winner().trial.plan);
  found.candidates = estimates.candidates(control);
  found.comparison = compared(found.winner(), ground);
  found.plan = with_layer(ground, found.winner().trial.plan, found.layer);
  found.plan.made_for = made_for(ground.workload, ground.hardware);
  return found;
}

}  // namespace waferloom::optimize
