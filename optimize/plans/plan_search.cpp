#include "optimize/plans/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "model/errors.h"
#include "optimize/plans/plan_routes.h"
#include "planner/plan_models.h"

// Problem: find the plan of a network that runs best in simulation, with a result at any time.
// Idea: simulate the plan to beat, or the first that can run. Let the ranking propose plans. Route
// those that promise most, and simulate the best, few of each kind. Then simulate variants of the
// best, place their stages, and place the winner again by the prices of its routes. The budget
// (search_budget.h) says how much of each.
// Source: ours (docs/optimize.md, docs/planner.md).
// Cost: the ranking's, and a simulation of 0.1 s to minutes for each plan that is simulated.
namespace waferloom::optimize {
namespace {

/// That no plan fits the hardware, and why if that is known.
SearchEnded nothing_fits(const PlanGround& ground, const planner::PlanSpace& space,
                         const std::string& why) {
  return {EndReason::infeasible, fmt::format("no plan for a batch of {} fits {}{}", space.batch,
                                             ground.hardware.name, why.empty() ? "" : "; " + why)};
}

/// Why a search ends before a plan was simulated: a signal, the time limit, or that nothing fits.
SearchEnded no_plan(const PlanGround& ground, const planner::PlanSpace& space,
                    const SearchControl& control, const std::string& why, bool was_cut) {
  if (control.interrupted()) {
    return {EndReason::interrupted, "interrupted before a plan was simulated"};
  }
  if (was_cut || control.is_cut()) {
    return {EndReason::time_limit, "the time limit passed before a plan was simulated"};
  }
  return nothing_fits(ground, space, why);
}

}  // namespace

PlanSearch::PlanSearch(const PlanGround& ground, const planner::PlanSpace& space,
                       PlanEstimates& estimates, PlanSearchJob job, PassedOverCounts& passed_over,
                       const SearchControl& control)
    : ground_(ground),
      space_(space),
      estimates_(estimates),
      job_(std::move(job)),
      passed_over_(passed_over),
      control_(control) {}

/// The plan to beat is simulated before anything else, and where the search may take long the first
/// that can run, so that there is something to show whenever it is cut.
void PlanSearch::run() {
  if (job_.baseline) {
    try {
      add_baseline();
    } catch (const RunCut&) {
      fail_without_any();
    }
    simulate({0}, control_);
  } else if (const auto why =
                 planner::why_nothing_fits(ground_.workload, ground_.hardware, space_.base)) {
    throw nothing_fits(ground_, space_, *why);
  }
  propose();
  simulate_rounds();
  pass_over_waiting();
  place_best();
  place_by_prices();
  if (!best()) fail_without_any();
  ended_by_ = control_.ended_by(left_something_out() ? "time_limit" : "effort");
}

/// For want of time.
bool PlanSearch::left_something_out() const {
  return was_cut_ || std::any_of(trials_.begin(), trials_.end(), [](const auto& candidate) {
           return candidate.trial.verdict == Verdict::cut;
         });
}

std::optional<std::size_t> PlanSearch::best() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].trial.verdict != Verdict::slower || !trials_[i].trial.measured) continue;
    if (!best || estimates_.measured(trials_[i]) < estimates_.measured(trials_[*best])) best = i;
  }
  return best;
}

void PlanSearch::add_baseline() {
  Plan plan = *job_.baseline;
  set_stream(plan);  // as those that it is held against
  PlanTrial candidate{{planner::plan_name(plan), "the plan to beat"}, std::move(plan), {}};
  if (const auto refused = lay_out(ground_, candidate)) {
    throw InputError(job_.baseline_source, kWholeSource, *refused);
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
    throw InputError(job_.baseline_source, kWholeSource, error.what());
  }
}

/// Simulates a plan with little work, twice as much as for the one before, unless one has run.
PlanEstimates::Tried PlanSearch::try_first(const PlanTrial& first) {
  using Tried = PlanEstimates::Tried;
  if (best()) return Tried::ran;
  if (is_repeated(first)) return Tried::none;
  if (first_work_ > kMostFirstWork) return Tried::too_long;
  trials_.push_back(first);
  route_by_rule_under_limit(control_, trials_.back());
  control_.tell({"simulating 1 plan", ground_.workload.name});
  simulate_trial(ground_, control_, trials_.back(), first_work_);
  first_work_ *= 2;
  if (best()) return Tried::ran;
  const Verdict verdict = trials_.back().trial.verdict;
  if (verdict != Verdict::outranked) return Tried::refused;
  trials_.pop_back();  // it may still be chosen
  return Tried::too_long;
}

/// Lets the estimates propose plans, and takes the best of them among the trials.
void PlanSearch::propose() {
  PlanEstimates::TryFirst first;
  if (control_.time_limit || job_.budget.more_work > 0) {
    first = [&](const PlanTrial& trial) { return try_first(trial); };
  }
  std::vector<PlanTrial> proposals = estimates_.proposed(control_, first);
  was_cut_ = estimates_.was_cut();
  rank_on_routes(proposals);
  given_ = trials_.size();
  choose(std::move(proposals));
}

/// As `plan` does; then, where the search goes on, what that left out, with more work.
void PlanSearch::simulate_rounds() {
  const SearchControl phase = control_.within(job_.budget.simulated_until);
  for (const std::uint64_t work : {job_.budget.work, job_.budget.more_work}) {
    if (work == 0) break;
    simulate_within_work(work, phase);
    choose_variants_of_best();
    simulate_within_work(work, phase);
  }
}

/// Routes those that promise most, and sorts them anew by what they promise then.
void PlanSearch::rank_on_routes(std::vector<PlanTrial>& estimated) const {
  const std::size_t count = std::min(kPlansRoutedForOne * job_.budget.top, estimated.size());
  if (count == 0) return;
  control_.tell({fmt::format("routing {} plans", count), ground_.workload.name});
  const SearchControl phase = control_.within(job_.budget.routed_until);
  run_counted(count, phase, "routed", ground_.workload.name,
              [&](std::size_t i) { route_trial(ground_, phase, estimated[i]); });
  std::stable_sort(estimated.begin(), estimated.begin() + static_cast<std::ptrdiff_t>(count),
                   [&](const PlanTrial& a, const PlanTrial& b) {
                     return estimates_.promised(a) < estimates_.promised(b);
                   });
}

/// The first of each shallow pipeline, where there is room for them.
std::set<std::size_t> PlanSearch::first_shallow(const std::vector<PlanTrial>& estimated) const {
  std::set<std::size_t> first;
  if (job_.budget.chosen <= 2 * kShallow) return first;
  std::set<std::int64_t> depths;
  for (std::size_t i = 0; i < estimated.size(); ++i) {
    const std::int64_t depth = estimated[i].plan.pipeline;
    if (depth > kShallow || is_repeated(estimated[i])) continue;
    if (depths.insert(depth).second) first.insert(i);
  }
  return first;
}

/// Takes the best by estimate among the trials, one of each kind, and the first shallow pipelines.
/// The others wait.
void PlanSearch::choose(std::vector<PlanTrial> estimated) {
  const std::size_t end = trials_.size() + job_.budget.chosen;
  const std::set<std::size_t> shallow = first_shallow(estimated);
  std::size_t kept = shallow.size();  // of these, not yet taken
  std::set<std::string> taken;        // kinds
  for (std::size_t i = 0; i < estimated.size(); ++i) {
    PlanTrial& candidate = estimated[i];
    const bool is_shallow = shallow.contains(i);
    if (is_repeated(candidate)) {
      passed_over_.add("runs exactly as one that is simulated", candidate.trial.name);
    } else if ((is_shallow || trials_.size() + kept < end) &&
               (taken.insert(PlanEstimates::kind_of(candidate.plan)).second || is_shallow)) {
      trials_.push_back(std::move(candidate));
    } else {
      waiting_.push_back(std::move(candidate));
    }
    if (is_shallow) --kept;
  }
}

/// Takes further variants of the kinds that ran best among the trials, a few each, until these are
/// as many as are to be simulated.
void PlanSearch::choose_variants_of_best() {
  std::vector<std::size_t> order(trials_.size() - given_);
  std::iota(order.begin(), order.end(), given_);
  const auto value = [&](std::size_t at) {
    return trials_[at].trial.measured ? estimates_.measured(trials_[at])
                                      : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = given_; i < trials_.size(); ++i) {
    ++taken[PlanEstimates::kind_of(trials_[i].plan)];
  }
  for (const std::size_t at : order) {
    const std::string kind = PlanEstimates::kind_of(trials_[at].plan);
    for (PlanTrial& candidate : waiting_) {
      if (taken[kind] > job_.budget.variants || trials_.size() >= given_ + job_.budget.top) break;
      if (!trials_[at].trial.measured && best()) break;
      if (candidate.tiles.empty() || PlanEstimates::kind_of(candidate.plan) != kind ||
          is_repeated(candidate))
        continue;
      trials_.push_back(std::exchange(candidate, {}));
      ++taken[kind];
    }
  }
}

void PlanSearch::pass_over_waiting() {
  for (const PlanTrial& candidate : waiting_) {
    if (candidate.tiles.empty()) continue;
    passed_over_.add(
        fmt::format("estimated slower than the {} that are simulated", job_.budget.top),
        promise_text(candidate));
  }
  waiting_.clear();
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

void PlanSearch::simulate(const std::vector<std::size_t>& chosen, const SearchControl& control) {
  if (chosen.empty()) return;
  const std::string plans =
      fmt::format("{}{}", chosen.size(), chosen.size() == 1 ? " plan" : " plans");
  control.tell({"simulating " + plans, ground_.workload.name});
  run_counted(chosen.size(), control, "simulated", ground_.workload.name,
              [&](std::size_t i) { simulate_trial(ground_, control, trials_[chosen[i]]); });
}

/// What all simulations of a round may take together, the same for efforts up to the default. Only
/// under a time limit alone there is no bound.
std::uint64_t PlanSearch::most_work(std::uint64_t work) const {
  if (!control_.effort_limits()) return std::numeric_limits<std::uint64_t>::max();
  const int by_default = SearchControl{}.effort;
  return work << std::max(0, control_.effort - by_default);
}

/// Simulates some trials, a few at once, none with more than its share of work.
void PlanSearch::simulate_within(const std::vector<std::size_t>& chosen,
                                 const std::function<std::uint64_t(const PlanTrial&)>& most_of_one,
                                 std::uint64_t most, const SearchControl& control) {
  for (std::size_t begin = 0; begin < chosen.size() && !control.is_cut();) {
    if (begin > 0 && work_ >= most) return;
    const std::size_t count = std::min(kSimulatedAtOnce, chosen.size() - begin);
    run_parallel(count, control, [&](std::size_t i) {
      PlanTrial& trial = trials_[chosen[begin + i]];
      simulate_trial(ground_, control, trial, most_of_one(trial));
    });
    for (std::size_t i = begin; i < begin + count; ++i) work_ += trials_[chosen[i]].work;
    begin += count;
    const auto ran = std::count_if(trials_.begin(), trials_.end(), [](const PlanTrial& trial) {
      return trial.trial.measured.has_value();
    });
    control.tell(
        {fmt::format("simulated {} of {} plans", ran, trials_.size()), ground_.workload.name});
  }
}

/// Of the proposed, those that have not run and may, in their order.
std::vector<std::size_t> PlanSearch::not_run() const {
  std::vector<std::size_t> waiting;
  for (std::size_t i = given_; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i].trial;
    const bool was_left_out = trial.verdict == Verdict::outranked || trial.reason.empty();
    if (!trial.measured && was_left_out) waiting.push_back(i);
  }
  return waiting;
}

/// Simulates what was proposed and has not run within the work of a round. A little of each
/// simulation tells how much work the whole takes; then the most promising run that the work is
/// enough for and, if that is none, the one that needs least. All is counted, so that all runs
/// leave out the same plans.
void PlanSearch::simulate_within_work(std::uint64_t work, const SearchControl& control) {
  std::vector<std::size_t> waiting = not_run();
  if (waiting.empty()) return;
  control.tell({fmt::format("simulating {}",
                            counted_text(static_cast<std::int64_t>(waiting.size()), "plan")),
                ground_.workload.name});
  const std::uint64_t most = most_work(work);
  std::vector<std::size_t> unknown = waiting;
  std::erase_if(unknown, [&](std::size_t at) { return trials_[at].needed_work > 0; });
  // All probes together are at most a quarter.
  const std::uint64_t probes = std::max<std::uint64_t>(kProbesOfWork, 4 * unknown.size());
  const std::uint64_t probe = std::max<std::uint64_t>(1, most / probes);
  simulate_within(
      unknown, [&](const PlanTrial& /*trial*/) { return probe; }, most, control);
  const auto twice = [](const PlanTrial& trial) {
    return static_cast<std::uint64_t>(2 * trial.needed_work);
  };
  while (!control.is_cut()) {
    std::vector<std::size_t> chosen;
    double left = static_cast<double>(most) - static_cast<double>(work_);
    for (const std::size_t at : not_run()) {
      const double needed = trials_[at].needed_work;
      if (needed == 0 || needed > left) continue;
      left -= needed;
      chosen.push_back(at);
    }
    if (chosen.empty()) break;
    simulate_within(chosen, twice, most, control);
  }
  // One at least.
  while (!best() && !control.is_cut()) {
    waiting = not_run();
    std::erase_if(waiting, [&](std::size_t at) { return trials_[at].needed_work == 0; });
    if (waiting.empty()) break;
    const auto least = std::min_element(waiting.begin(), waiting.end(), [&](auto a, auto b) {
      return trials_[a].needed_work < trials_[b].needed_work;
    });
    simulate_within({*least}, twice, most, control);
  }
  for (const std::size_t at : not_run()) {
    PlanTrial& left = trials_[at];
    if (control.is_cut()) {
      left.trial.verdict = Verdict::cut;
      left.trial.reason = "its simulation was cut by the time limit or a signal";
      continue;
    }
    left.trial.verdict = Verdict::outranked;
    left.trial.reason = left.needed_work > 0
                            ? "its simulation is more work than this --effort leaves for it"
                            : "simulations of plans that promise more took the work of this "
                              "--effort";
  }
}

/// The best plans that have run, few of the same degrees.
std::vector<std::size_t> PlanSearch::plans_to_place() const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    if (trials_[i].trial.verdict == Verdict::slower) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return estimates_.measured(trials_[a]) < estimates_.measured(trials_[b]);
  });
  std::vector<std::size_t> chosen;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> taken;
  for (const std::size_t at : order) {
    const Plan& plan = trials_[at].plan;
    if (chosen.size() == job_.budget.placed) break;
    if (taken.emplace(plan.tensor, plan.data, plan.pipeline).second) chosen.push_back(at);
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
  for (int round = 0; round < job_.budget.price_rounds; ++round) {
    const std::optional<std::size_t> from = best();
    if (!from || !trials_[*from].links_bind) return;
    if (!control_.has_time_for(ground_.steps.of_placing())) {
      was_cut_ = true;
      return;
    }
    PlanTrial candidate =
        placed_trial(ground_, trials_[*from], job_.strategy,
                     control_.part(kLessEffort, job_.budget.price_rounds), EdgeWeights::prices);
    if (candidate.tiles.empty() || is_repeated(candidate)) return;
    trials_.push_back(std::move(candidate));
    simulate({trials_.size() - 1}, control_);
    if (best() == from) return;
  }
}

void PlanSearch::fail_without_any() const {
  std::string why = estimates_.why_none();
  for (const PlanTrial& candidate : trials_) {
    why = candidate.trial.name + ": " + candidate.trial.reason;
  }
  throw no_plan(ground_, space_, control_, why, left_something_out());
}

}  // namespace waferloom::optimize
