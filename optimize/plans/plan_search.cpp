#include "optimize/plans/plan_search.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "model/errors.h"
#include "optimize/plans/no_plan.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"
#include "planner/plan_fit.h"

// Problem: find the plan of a network that runs fastest in simulation, with a result at any time.
// Idea: simulate the plan to beat, or the first that can run. Estimate all plans, route those that
// promise most, and simulate the best, each degrees once. Then simulate variants of the fastest,
// place their stages, and place the winner again by the prices of its routes.
// Source: ours (docs/optimize.md). PlanChain is the same for `plan`, which ranks by published
// models.
// Cost: estimates O(plans), some 10^4 a second; a simulation 0.1 s to minutes.
namespace waferloom::optimize {

PlanSearch::PlanSearch(const PlanGround& ground, const planner::PlanSpace& space,
                       const PlanSearchOptions& job, const RunControl& control)
    : job_(job), control_(control), ground_(ground), space_(space) {}

/// The plan to beat, or the first that can run, is simulated before anything else, so that there is
/// something to show whenever the search is cut.
void PlanSearch::run() {
  if (job_.baseline) {
    add_baseline();
    simulate({0}, control_);
  } else if (const auto why =
                 planner::why_nothing_fits(ground_.workload, ground_.hardware, space_.base)) {
    throw nothing_fits(ground_, space_, *why);
  }
  const std::vector<std::size_t> chosen = proposed();
  const std::size_t first = trials_.size() - chosen.size();
  simulate(chosen, control_.within(EstimatedSearchPhases::kSimulated));
  simulate(variants_of_fastest(first), control_.within(EstimatedSearchPhases::kSimulated));
  place_best();
  place_by_prices();
  if (!best()) fail_without_any();
  const bool was_cut =
      was_cut_ || std::any_of(trials_.begin(), trials_.end(), [](const auto& candidate) {
        return candidate.trial.verdict == Verdict::cut;
      });
  ended_by_ = control_.ended_by(was_cut ? "time_limit" : "effort");
}

OptimizeResult PlanSearch::result() const {
  OptimizeResult result;
  result.subject = ground_.workload.name;
  result.source = job_.source;
  for (const PlanTrial& candidate : trials_) result.trials.push_back(candidate.trial);
  result.passed_over = passed_over_.all();
  result.best = *best();
  if (job_.baseline && trials_.front().trial.measured) result.baseline = 0;
  result.ended_by = ended_by_;
  explain(result.trials, result.best);
  return result;
}

std::optional<std::size_t> PlanSearch::best() const {
  std::vector<Trial> plain;
  for (const PlanTrial& candidate : trials_) plain.push_back(candidate.trial);
  return fastest(plain);
}

void PlanSearch::add_baseline() {
  PlanTrial candidate{{planner::plan_name(*job_.baseline), "the plan to beat"}, *job_.baseline, {}};
  if (const auto refused = lay_out(ground_, candidate)) {
    throw InputError(job_.baseline_source, *refused);
  }
  if (!candidate.complaint.empty()) estimate_infeasible(candidate);
  candidate.trial.name = planner::plan_name(candidate.plan);
  trials_.push_back(std::move(candidate));
}

/// A plan to beat is run even where its stages do not fit the memory.
void PlanSearch::estimate_infeasible(PlanTrial& candidate) const {
  try {
    estimate(ground_, candidate);
  } catch (const RequestError& error) {
    throw InputError(job_.baseline_source, error.what());
  }
}

/// Estimates plans and takes the best of them among the trials; those to simulate.
std::vector<std::size_t> PlanSearch::proposed() {
  control_.tell("estimating plans", ground_.workload.name);
  PlanEstimates estimates(ground_, space_, passed_over_);
  std::vector<PlanTrial> best_estimates = estimates.best(control_, [&](const PlanTrial& first) {
    if (best()) return;
    trials_.push_back(first);
    route_by_rule_under_limit(control_, trials_.back());
    simulate({trials_.size() - 1}, control_);
  });
  was_cut_ = estimates.was_cut();
  rank_on_routes(best_estimates);
  std::vector<std::size_t> chosen;
  const std::size_t simulated = trials_.size();
  choose(std::move(best_estimates));
  for (std::size_t i = simulated; i < trials_.size(); ++i) chosen.push_back(i);
  return chosen;
}

/// Routes those that promise most, and sorts them anew by what they promise then.
void PlanSearch::rank_on_routes(std::vector<PlanTrial>& estimated) const {
  const std::size_t top = kPlansRoutedForOne * most_simulated();
  const std::size_t count = std::min(top, estimated.size());
  control_.tell("routing " + std::to_string(count) + " plans", ground_.workload.name);
  route_and_sort(
      ground_, control_.within(EstimatedSearchPhases::kRouted), std::span(estimated.data(), count),
      [](PlanTrial& candidate) -> PlanTrial& { return candidate; }, promises_more);
}

/// Takes the best by estimate among the trials, each degrees once: variants of the same degrees
/// differ little. The others wait.
void PlanSearch::choose(std::vector<PlanTrial> estimated) {
  const std::size_t top = most_simulated();
  const std::size_t end = trials_.size() + (2 * top + 2) / 3;
  std::set<std::string> taken;  // degrees
  for (PlanTrial& candidate : estimated) {
    if (is_repeated(candidate)) {
      passed_over_.add("runs exactly as one that is simulated", candidate.trial.name);
    } else if (trials_.size() < end && taken.insert(degrees_name(candidate.plan)).second) {
      trials_.push_back(std::move(candidate));
    } else {
      waiting_.push_back(std::move(candidate));
    }
  }
}

/// Further variants of the degrees that ran fastest, a few each; the rest is passed over.
std::vector<std::size_t> PlanSearch::variants_of_fastest(std::size_t first) {
  const std::size_t top = most_simulated();
  std::vector<std::size_t> order(trials_.size() - first);
  std::iota(order.begin(), order.end(), first);
  const auto rate = [&](std::size_t at) {
    const auto& measured = trials_[at].trial.measured;
    return measured ? measured->metrics.samples_per_s : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rate(a) > rate(b); });
  const std::size_t begin = trials_.size();
  for (const std::size_t at : order) {
    const std::string degrees = degrees_name(trials_[at].plan);
    std::size_t left = kVariantsOfDegrees - 1;
    for (PlanTrial& candidate : waiting_) {
      if (left == 0 || trials_.size() == first + top) break;
      if (candidate.tiles.empty() || degrees_name(candidate.plan) != degrees ||
          is_repeated(candidate))
        continue;
      trials_.push_back(std::exchange(candidate, {}));
      --left;
    }
  }
  for (const PlanTrial& candidate : waiting_) {
    if (candidate.tiles.empty()) continue;
    passed_over_.add("estimated slower than the " + std::to_string(top) + " that are simulated",
                     promise_text(candidate));
  }
  waiting_.clear();
  std::vector<std::size_t> chosen(trials_.size() - begin);
  std::iota(chosen.begin(), chosen.end(), begin);
  return chosen;
}

/// Whether a trial has the same degrees, tiles and order of work.
bool PlanSearch::is_repeated(const PlanTrial& candidate) const {
  return std::any_of(trials_.begin(), trials_.end(), [&](const PlanTrial& other) {
    if (other.tiles != candidate.tiles) return false;
    Plan same = other.plan;
    same.layout = candidate.plan.layout;
    if (same.pipeline == 1) same.schedule = candidate.plan.schedule;
    return planner::plan_name(same) == planner::plan_name(candidate.plan);
  });
}

void PlanSearch::simulate(const std::vector<std::size_t>& chosen, const RunControl& control) {
  if (chosen.empty()) return;
  const std::string plans = chosen.size() == 1 ? " plan" : " plans";
  control.tell("simulating " + std::to_string(chosen.size()) + plans, ground_.workload.name);
  run_parallel(chosen.size(), control,
               [&](std::size_t i) { simulate_trial(ground_, control, trials_[chosen[i]]); });
}

/// The fastest plans, each degrees once.
std::vector<std::size_t> PlanSearch::plans_to_place() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].trial.verdict == Verdict::slower) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trials_[a].trial.measured->metrics.samples_per_s >
           trials_[b].trial.measured->metrics.samples_per_s;
  });
  std::vector<std::size_t> chosen;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const std::size_t at : order) {
    const Plan& plan = trials_[at].plan;
    if (chosen.size() == kPlansPlaced) break;
    if (seen.emplace(plan.tensor, plan.data, plan.pipeline).second) chosen.push_back(at);
  }
  return chosen;
}

void PlanSearch::place_best() {
  const std::vector<std::size_t> chosen = plans_to_place();
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!control_.has_time_for(ground_.steps.of_placing())) {
      was_cut_ = true;
      break;
    }
    PlanTrial candidate = placed_trial(ground_, trials_[chosen[i]], job_.strategy,
                                       control_.part(kLessEffort, chosen.size() - i));
    if (!candidate.tiles.empty()) whole.push_back(trials_.size());
    trials_.push_back(std::move(candidate));
  }
  simulate(whole, control_);
}

/// Places the fastest by the prices of its routes and routes that, by turns, as long as links bind
/// and that gains.
void PlanSearch::place_by_prices() {
  for (int round = 0; round < kPriceRounds; ++round) {
    const std::optional<std::size_t> from = best();
    if (!from || !trials_[*from].links_bind) return;
    if (!control_.has_time_for(ground_.steps.of_placing())) {
      was_cut_ = true;
      return;
    }
    PlanTrial candidate =
        placed_trial(ground_, trials_[*from], job_.strategy,
                     control_.part(kLessEffort, kPriceRounds), EdgeWeights::prices);
    if (candidate.tiles.empty() || is_repeated(candidate)) return;
    trials_.push_back(std::move(candidate));
    simulate({trials_.size() - 1}, control_);
    if (best() == from) return;
  }
}

void PlanSearch::fail_without_any() const {
  std::string why;
  for (const PassedOver& group : passed_over_.all()) {
    why = group.example;
    if (group.reason == kMisfit) break;
  }
  for (const PlanTrial& candidate : trials_)
    why = candidate.trial.name + ": " + candidate.trial.reason;
  throw no_plan(ground_, space_, control_, why);
}

OptimizedPlan optimize_plan(const PlanGround& ground, const planner::PlanSpace& space,
                            const PlanSearchOptions& options, const RunControl& control) {
  PlanSearch search(ground, space, options, control);
  search.run();
  return {search.result(), search.winner()};
}

}  // namespace waferloom::optimize
