// Longer than most: the chain of `plan` in its order, one step a function.
#include "optimize/plans/plan_chain.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <set>
#include <utility>

#include "optimize/plans/compute_bound.h"
#include "optimize/plans/no_plan.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"

namespace waferloom::optimize {
namespace {

constexpr double kPicosecond = 1e-12;

double seconds(sim::Picoseconds time) { return static_cast<double>(time) * kPicosecond; }

/// Part of the tiles that a plan uses.
double used_part(const Plan& plan, const Hardware& hardware) {
  return static_cast<double>(plan.tiles() * plan.pipeline) /
         static_cast<double>(usable_tiles(hardware.wafer));
}

}  // namespace

PlanChain::PlanChain(const PlanJob& job, const PlanGround& ground, const planner::PlanSpace& space,
                     const RunControl& control)
    : job_(job),
      ground_(ground),
      space_(space),
      control_(control),
      fitter_(ground.workload, ground.hardware),
      timer_(ground.workload, ground.hardware) {}

void PlanChain::run() {
  if (const auto why = planner::why_nothing_fits(ground_.workload, ground_.hardware, space_.base)) {
    throw nothing_fits(ground_, space_, *why);
  }
  control_.tell("walking tensors through memory", ground_.workload.name);
  rank_degrees();
  // What fits may be too slow for any clock: under a time limit, which ends enumerating early, more
  // degrees are looked at until a plan was simulated.
  do {
    const std::size_t known = candidates_.size();
    enumerate();
    if (candidates_.empty()) fail();
    control_.tell("mapping kernels of " + std::to_string(candidates_.size() - known) + " plans",
                  ground_.workload.name);
    price(known);
  } while (control_.time_limit && trials_.empty() && next_degrees_ < degrees_.size() &&
           !control_.is_cut());
  sort_candidates();
  if (candidates_.empty() || (control_.is_cut() && trials_.empty())) fail();
  simulate_best();
  rank();
  if (job_.places) {
    place_best();
    rank();
  }
  const bool ran = !trials_.empty() && trials_.front().trial.trial.verdict == Verdict::best;
  if (!ran) fail();
  const bool was_cut =
      was_cut_ ||
      std::any_of(trials_.begin(), trials_.end(), [](const PlannedTrial& planned_trial) {
        return planned_trial.trial.trial.verdict == Verdict::cut;
      });
  ended_by_ = control_.ended_by(was_cut ? "time_limit" : "effort");
  layer_ = timer_.layer(winner().trial.plan);
  compare();
}

/// All degrees. Under a time limit those that compute fastest come first, the others perhaps not at
/// all.
void PlanChain::rank_degrees() {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Plan> degrees;
  for (const Plan& plan : planner::plan_degrees(space_)) {
    degrees.emplace(std::tuple{plan.pipeline, plan.data, plan.tensor}, plan);
  }
  counts_.degrees = degrees.size();
  ComputeBound bound(ground_, space_);
  for (auto& [key, plan] : degrees) {
    degrees_.emplace_back(control_.time_limit ? bound.samples_per_s(plan) : 0, plan);
  }
  std::stable_sort(degrees_.begin(), degrees_.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
}

/// Of the degrees that there is time for, of those to come one at least that fits, the
/// micro-batches that do.
void PlanChain::enumerate() {
  const RunControl phase = control_.within(ModelSearchPhases::kEnumerated);
  const std::size_t known = candidates_.size();
  for (; next_degrees_ < degrees_.size(); ++next_degrees_) {
    if ((candidates_.size() == known ? control_ : phase).is_cut()) break;
    Plan& plan = degrees_[next_degrees_].second;
    // Replicas that divide the states of the optimizer exchange no more than those that do not.
    if (plan.trains() && plan.data > 1) plan.zero = 1;
    planner::MicroBatchFit found = fitter_.fit(plan, space_.batch);
    if (!found.choice.best && plan.zero == 1) {
      plan.zero = 3;
      found = fitter_.fit(plan, space_.batch);
    }
    const auto& all = found.choice.candidates;
    counts_.plans += all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].lacks) {
        ++counts_.infeasible;
        continue;
      }
      PlanCandidate candidate;
      candidate.plan = plan;
      candidate.plan.micro_batch = all[i].batch;
      candidate.plan.micro_batches = space_.batch / plan.data / all[i].batch;
      // Inference is a stream: enough of it is run to see how fast it flows.
      if (!plan.trains()) {
        candidate.plan.micro_batches =
            std::max(candidate.plan.micro_batches, kStream * plan.pipeline);
      }
      candidate.plan.recompute = found.recomputed[i] ? Recompute::full : Recompute::none;
      candidate.by_centimani = found.choice.best == i;
      candidates_.push_back(std::move(candidate));
    }
    if (found.choice.best) continue;
    for (const planner::BatchCandidate& candidate : all) {
      const double lack = candidate.lacks->needed_bytes / candidate.lacks->bytes;
      if (lack >= nearest_lack_) continue;
      nearest_lack_ = lack;
      counts_.why_infeasible =
          planner::plan_name(plan) + ": " + found.choice.why_none(found.machine);
    }
  }
  was_cut_ = next_degrees_ < degrees_.size();
  counts_.candidates = candidates_.size();
}

/// Prices candidates from `begin` on by both models. Those that a time limit leaves no time for are
/// dropped, the slowest by computation first, but none before a plan was simulated.
void PlanChain::price(std::size_t begin) {
  const RunControl phase = control_.within(ModelSearchPhases::kPriced);
  std::size_t priced = begin;
  // What is mapped for one plan serves all that are cut alike: without a limit all at once.
  std::size_t count = control_.time_limit ? kPricedAtFirst : candidates_.size() - begin;
  for (; priced < candidates_.size(); count = std::min(2 * count, kPricedAtOnce)) {
    const RunControl& control = trials_.empty() ? control_ : phase;
    const std::size_t end = std::min(priced + count, candidates_.size());
    std::vector<Plan> plans;
    for (std::size_t i = priced; i < end; ++i) plans.push_back(candidates_[i].plan);
    timer_.prepare(plans, control_.threads, [&] { return control.is_cut(); });
    if (control.is_cut()) break;
    run_parallel(plans.size(), control_, [&](std::size_t i) {
      PlanCandidate& candidate = candidates_[priced + i];
      candidate.dfmodel = timer_.dfmodel(candidate.plan);
      candidate.amped = timer_.amped(candidate.plan);
    });
    if (control_.time_limit && trials_.empty()) simulate_early(priced, end);
    priced = end;
  }
  was_cut_ = was_cut_ || priced < candidates_.size();
  candidates_.resize(priced);
}

/// By the model that was asked for, the best first.
void PlanChain::sort_candidates() {
  const auto place = [](const Plan& plan) {
    return std::tuple{plan.pipeline, plan.data, plan.tensor, plan.micro_batch};
  };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](const PlanCandidate& a, const PlanCandidate& b) {
                     return std::pair{ranked_value(a), place(a.plan)} <
                            std::pair{ranked_value(b), place(b.plan)};
                   });
}

double PlanChain::objective_of(const Plan& plan, double samples_per_s, double latency_s) const {
  const Hardware& hardware = ground_.hardware;
  const double part = used_part(plan, hardware);
  switch (job_.objective) {
    case planner::Objective::throughput:
      return -samples_per_s;
    case planner::Objective::time:
      return plan.trains() ? static_cast<double>(space_.batch) / samples_per_s : latency_s;
    case planner::Objective::cost:
      return part * static_cast<double>(hardware.price_usd.value_or(1)) / samples_per_s;
    case planner::Objective::energy:
      return part * static_cast<double>(hardware.power_w.value_or(1)) / samples_per_s;
  }
  return 0;
}

double PlanChain::ranked_value(const PlanCandidate& plan_candidate) const {
  const bool amped = job_.model == RankingModel::amped && plan_candidate.amped;
  const planner::PlanTime& time = amped ? *plan_candidate.amped : plan_candidate.dfmodel;
  return objective_of(plan_candidate.plan, time.samples_per_s, time.latency_s);
}

/// A candidate's variants that promise most, or why there are none.
std::vector<PlanTrial> PlanChain::laid_out(const PlanCandidate& candidate, std::string& complaint) {
  std::vector<PlanTrial> variants;
  auto dimensions = planner::coarse_dimensions(candidate.plan);
  dimensions.push_back(planner::routing_choices(space_.routings));
  for (Plan& plan : planner::plan_variants(candidate.plan, dimensions)) {
    if (!variants.empty() && !control_.has_time_for(ground_.steps.of(Step::estimate))) {
      was_cut_ = true;
      break;
    }
    PlanTrial trial{{}, std::move(plan), {}};
    const auto refused = lay_out(ground_, trial);
    trial.trial.name = planner::plan_name(trial.plan);
    trial.trial.description = "planned";
    if (refused || !trial.complaint.empty()) {
      if (complaint.empty()) complaint = refused ? *refused : trial.complaint;
    } else {
      variants.push_back(std::move(trial));
    }
  }
  std::stable_sort(variants.begin(), variants.end(), promises_more);
  variants.resize(std::min(variants.size(), kVariantsOfRanked));
  return variants;
}

/// The best that can run of the candidates from `begin` to before `end`, so that there is something
/// to show whenever the time limit comes.
void PlanChain::simulate_early(std::size_t begin, std::size_t end) {
  std::vector<const PlanCandidate*> order;
  for (std::size_t i = begin; i < end; ++i) order.push_back(&candidates_[i]);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    return ranked_value(*a) < ranked_value(*b);
  });
  for (const PlanCandidate* candidate : order) {
    if (control_.is_cut()) return;
    std::string complaint;
    const std::vector<PlanTrial> variants = laid_out(*candidate, complaint);
    if (variants.empty()) continue;
    PlannedTrial planned_trial{variants.front(), *candidate, 0};
    route_by_rule_under_limit(control_, planned_trial.trial);
    simulate_trial(ground_, control_, planned_trial.trial);
    if (!planned_trial.trial.trial.measured) continue;
    trials_.push_back(std::move(planned_trial));
    return;
  }
}

/// Lays the best plans out in all variants, which estimates them as PALM does with the wafer's own
/// memory, links and ports, and keeps of each those that promise most.
std::vector<PlannedTrial> PlanChain::estimated() {
  const std::int64_t tiles = ground_.hardware.wafer.width * ground_.hardware.wafer.height;
  const std::size_t most = std::max(job_.top, tiles <= kManyTiles ? kLaidOut : kLaidOutOnLarge);
  const std::size_t count = std::min(most, candidates_.size());
  control_.tell("laying out " + std::to_string(count) + " plans", ground_.workload.name);
  std::vector<std::vector<PlanTrial>> variants(count);
  std::vector<std::string> complaints(count);
  const RunControl phase = control_.within(ModelSearchPhases::kLaidOut);
  const Clock::duration none{0};
  run_parallel(count, control_, [&](std::size_t i) {
    const bool is_needed = i == 0 && trials_.empty();
    const Clock::duration step = is_needed ? none : ground_.steps.of(Step::estimate);
    if ((i == 0 ? control_ : phase).is_cut(step)) {
      was_cut_ = true;
      return;
    }
    variants[i] = laid_out(candidates_[i], complaints[i]);
  });
  std::vector<PlannedTrial> all;
  std::string refused;
  for (std::size_t i = 0; i < count; ++i) {
    if (variants[i].empty() && !complaints[i].empty()) {
      ++counts_.infeasible;
      if (refused.empty()) {
        refused = planner::plan_name(candidates_[i].plan) + ": " + complaints[i];
      }
    }
    for (PlanTrial& trial : variants[i]) all.push_back({std::move(trial), candidates_[i], 0});
  }
  // Where nothing is left it says more than what did not become a candidate.
  if (!refused.empty() && (all.empty() || counts_.why_infeasible.empty())) {
    counts_.why_infeasible = std::move(refused);
  }
  return all;
}

/// Simulates the best by estimate, of the same degrees a few.
void PlanChain::simulate_best() {
  std::vector<PlannedTrial> all = estimated();
  const auto is_better = [&](const PlannedTrial& a, const PlannedTrial& b) {
    return estimated_value(a) < estimated_value(b);
  };
  std::stable_sort(all.begin(), all.end(), is_better);
  const std::size_t count = std::min(kPlansRoutedForOne * job_.top, all.size());
  route_and_sort(
      ground_, control_.within(ModelSearchPhases::kRouted), std::span(all.data(), count),
      [](PlannedTrial& candidate) -> PlanTrial& { return candidate.trial; }, is_better);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> taken;
  const std::size_t early = trials_.size();
  for (PlannedTrial& planned_trial : all) {
    const Plan& plan = planned_trial.trial.plan;
    if (trials_.size() == std::max(job_.top, early)) break;
    if (early > 0 && trials_.front().trial.trial.name == planned_trial.trial.trial.name) continue;
    if (taken[{plan.tensor, plan.data, plan.pipeline}]++ >= kVariantsOfRanked) continue;
    trials_.push_back(std::move(planned_trial));
  }
  const std::size_t left = trials_.size() - early;
  control_.tell("simulating " + std::to_string(left) + " plans", ground_.workload.name);
  run_parallel(left, control_,
               [&](std::size_t i) { simulate_trial(ground_, control_, trials_[early + i].trial); });
}

/// GigaPlacer lays out the stages of the fastest, and they are simulated there.
void PlanChain::place_best() {
  std::vector<PlannedTrial> placed;
  for (std::size_t i = 0; i < trials_.size() && placed.size() < kRankedPlaced; ++i) {
    if (!trials_[i].trial.trial.measured) break;
    if (!control_.has_time_for(ground_.steps.of_placing())) {
      was_cut_ = true;
      break;
    }
    PlannedTrial planned_trial = trials_[i];
    planned_trial.trial = placed_trial(ground_, trials_[i].trial, job_.strategy,
                                       control_.part(kLessEffort, kRankedPlaced - placed.size()));
    if (!planned_trial.trial.tiles.empty()) simulate_trial(ground_, control_, planned_trial.trial);
    placed.push_back(std::move(planned_trial));
  }
  trials_.insert(trials_.end(), placed.begin(), placed.end());
}

double PlanChain::estimated_value(const PlannedTrial& planned_trial) const {
  return objective_of(planned_trial.trial.plan, *planned_trial.trial.trial.promised_per_s,
                      planned_trial.candidate.dfmodel.latency_s);
}

double PlanChain::simulated_value(const PlannedTrial& planned_trial) const {
  const Metrics& metrics = planned_trial.trial.trial.measured->metrics;
  return objective_of(planned_trial.trial.plan, metrics.samples_per_s, seconds(metrics.latency_ps));
}

void PlanChain::rank() {
  for (PlannedTrial& planned_trial : trials_) {
    Verdict& verdict = planned_trial.trial.trial.verdict;
    if (verdict == Verdict::best) verdict = Verdict::slower;
    if (verdict == Verdict::slower) planned_trial.objective = simulated_value(planned_trial);
  }
  const auto runs = [](const PlannedTrial& planned_trial) {
    return planned_trial.trial.trial.verdict == Verdict::slower;
  };
  std::stable_sort(trials_.begin(), trials_.end(),
                   [&](const PlannedTrial& a, const PlannedTrial& b) {
                     if (runs(a) != runs(b)) return runs(a);
                     return runs(a) && a.objective < b.objective;
                   });
  if (!trials_.empty() && runs(trials_.front())) {
    trials_.front().trial.trial.verdict = Verdict::best;
  }
}

/// A variant may divide other things among replicas than its candidate, or compute more again, so
/// the models price it anew; the winner even when there is no time left.
void PlanChain::price_trials() {
  std::vector<Plan> plans;
  for (const PlannedTrial& planned_trial : trials_) plans.push_back(planned_trial.trial.plan);
  timer_.prepare({winner().trial.plan}, control_.threads);
  timer_.prepare(plans, control_.threads, [&] { return control_.is_cut(); });
  const std::size_t priced = control_.is_cut() ? 1 : trials_.size();
  for (std::size_t i = 0; i < priced; ++i) {
    trials_[i].dfmodel = timer_.dfmodel(plans[i]);
    trials_[i].amped = timer_.amped(plans[i]);
  }
}

void PlanChain::compare() {
  price_trials();
  const PlanTrial& best = winner().trial;
  comparison_.dfmodel = *winner().dfmodel;
  comparison_.amped = winner().amped;
  comparison_.report = *best.run;
  const sim::PlannedPipeline planned = pipeline_of(ground_, best);
  // A batch of training was run whole. Of inference every micro-batch counts in the parts, if
  // there is time; else what was extrapolated goes on as what was seen.
  if (!best.plan.trains() && control_.has_time_for(ground_.steps.of(Step::simulation))) {
    sim::SimulateOptions options = ground_.options;
    options.routing = best.plan.routing;
    options.extrapolate = false;
    sim::PlanReport whole = sim::simulate_plan(planned, ground_.hardware, options);
    if (!whole.run.stopped) comparison_.report = std::move(whole);
  }
  comparison_.simulated = simulated_parts(planned, comparison_.report);
}

Plan PlanChain::plan() const {
  Plan plan = winner().trial.plan;
  const auto& mapping = layer_;
  if (!mapping) return plan;
  for (std::size_t i = 0; i < mapping->sharding.size(); ++i) {
    plan.layer.sharding[mapping->whole.kernels[i].name] =
        planner::sharding_name(mapping->sharding[i]);
  }
  for (const std::vector<std::size_t>& partition : mapping->partitions) {
    std::vector<std::string>& names = plan.layer.partitions.emplace_back();
    for (const std::size_t kernel : partition) {
      names.push_back(mapping->forward.kernels[kernel].name);
    }
  }
  return plan;
}

PlanFindings PlanChain::findings() && {
  Plan mapped = plan();
  return {counts_,           std::move(candidates_), std::move(trials_), std::move(mapped),
          std::move(layer_), std::move(comparison_), ended_by_};
}

void PlanChain::fail() const {
  std::string why = counts_.why_infeasible;
  for (const PlannedTrial& planned_trial : trials_) {
    why = planned_trial.trial.trial.name + ": " + planned_trial.trial.trial.reason;
  }
  throw no_plan(ground_, space_, control_, why);
}

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

std::size_t PlanFindings::simulated() const {
  return static_cast<std::size_t>(std::count_if(
      trials.begin(), trials.end(),
      [](const PlannedTrial& candidate) { return candidate.trial.trial.measured.has_value(); }));
}

PlanFindings plan_network(const PlanJob& job, const PlanGround& ground,
                          const planner::PlanSpace& space, const RunControl& control) {
  PlanChain chain(job, ground, space, control);
  chain.run();
  return std::move(chain).findings();
}

}  // namespace waferloom::optimize
