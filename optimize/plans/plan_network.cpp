#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/plan.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_search.h"
#include "optimize/plans/plan_trial.h"
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

/// The winner's plan with the mapping of a layer; without its partitions where they would change
/// what streams, and the plan ran without.
Plan with_layer(const PlanGround& ground, const PlanTrial& winner,
                const std::optional<planner::OperatorMapping>& mapping) {
  Plan plan = winner.plan;
  if (!mapping || !plan.layer.partitions.empty()) return plan;
  plan.layer = named_mapping(*mapping);
  if (streams_activations(ground, winner)) plan.layer.partitions.clear();
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
  found.plan = with_layer(ground, found.winner().trial, found.layer);
  found.plan.made_for = made_for(ground.workload, ground.hardware);
  return found;
}

}  // namespace waferloom::optimize
