#include "optimize/plans/plan_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "model/errors.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/side_by_side.h"
#include "planner/plan_models.h"

// Problem: find the plan of a network that runs best in simulation, with a result at any time.
// Idea: simulate the plan to beat, or the first that can run. Let the ranking propose plans.
// Rehearse and route those that promise most, and simulate the best, few of each kind. Then
// simulate variants of the best, place their stages, and place the winner again by the prices of
// its routes. The budget (search_budget.h) says how much of each.
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

/// How a plan goes on, and about how much work that is.
struct RestOfRun {
  Exactness exactness = Exactness::exact;
  double work = 0;
};

/// Of a plan of which it is known how much work the whole is: exactly where what is left is light,
/// or no more than a rough run, else roughly.
RestOfRun rest_of_run(const PlanTrial& trial, std::uint64_t light) {
  const double done = trial.stopped_run ? static_cast<double>(trial.run_work) : 0;
  const double exact = trial.needed_work - (trial.is_rough ? 0 : done);
  const double rough = trial.needed_work / kRoughIsLess - (trial.is_rough ? done : 0);
  if (exact <= std::max(static_cast<double>(light), rough)) return {Exactness::exact, exact};
  return {Exactness::rough, rough};
}

/// How plans go on of which that is known, until they take more than is expected.
std::function<TrialRun(const PlanTrial&)> by_needed(std::uint64_t light) {
  return [light](const PlanTrial& trial) -> TrialRun {
    const RestOfRun rest = rest_of_run(trial, light);
    const bool goes_on =
        trial.stopped_run && trial.is_rough == (rest.exactness == Exactness::rough);
    return {rest.exactness,
            (goes_on ? trial.run_work : 0) + static_cast<std::uint64_t>(std::max(1.0, rest.work))};
  };
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
  for (PlanTrial& trial : trials_) trial.stopped_run.reset();
  pass_over_waiting();
  place_best();
  place_by_prices();
  run_branches();
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
  simulate_trial(ground_, control_, trials_.back(), {Exactness::exact, first_work_});
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
  most_routed_ = kPlansRoutedForOne * job_.budget.top;
  given_ = trials_.size();
  waiting_ = std::move(proposals);
  if (!waiting_.empty()) parts_ = estimates_.of_parts(control_);
}

/// A few at a time, so that those that ran tell which of the others keep what they promise. Shallow
/// pipelines last, since estimates of deep ones are higher.
void PlanSearch::choose_in_rounds(const SearchControl& phase) {
  const std::size_t end = given_ + job_.budget.chosen;
  const std::size_t shallow = job_.budget.chosen > 2 * kShallow ? kShallow : 0;
  const std::uint64_t most = most_work(job_.budget.work);
  while (trials_.size() + shallow < end) {
    if (take_best(std::min(kSimulatedAtOnce, end - shallow - trials_.size()), phase) == 0) break;
    simulate_those_within({most, most, most / kRoundsOfWork}, phase);
  }
  if (shallow > 0) take_shallow();
  if (trials_.size() < end) take_best(end - trials_.size(), phase);
  take_parts(phase);
}

/// First what takes little work. Then the heavy ones that still may win, and variants of the best;
/// and all of it again with more work, where the search goes on with what that left out.
void PlanSearch::simulate_rounds() {
  const SearchControl phase = control_.within(job_.budget.simulated_until);
  choose_in_rounds(phase);
  std::uint64_t most = 0;
  for (const std::uint64_t work : {job_.budget.work, job_.budget.more_work}) {
    if (work == 0) break;
    most = most_work(work);
    const std::uint64_t light = most / kRoundsOfWork;
    simulate_those_within({most, light, light}, phase);
    simulate_those_within({most - most / kWorkOfVariants, most, light}, phase);
    simulate_one_at_least(light, most, phase);
    choose_variants_of_best();
    simulate_those_within({most, most, light}, phase);
    say_why_left_out(light, phase);
  }
  simulate_best_exactly(most, phase);
}

/// Those that wait, by what they are expected to keep of their promise: in rehearsal, on routes and
/// in simulation, as far as they have not been there. Of equals those first that have routes.
std::vector<std::size_t> PlanSearch::by_expected() const {
  std::vector<double> expected;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const PlanTrial& trial = waiting_[i];
    const bool is_known = routed_.contains(i) || !is_routed(trial.plan, ground_.hardware);
    const double known = is_known ? kWorthRouting : kept_on_routes_.of(trial.plan);
    const double believed = trial.rehearsal ? 1 : kept_in_rehearsal_.of(trial.plan);
    expected.push_back(trial.tiles.empty()
                           ? std::numeric_limits<double>::infinity()
                           : estimates_.promised(trial, known * believed * kept_.of(trial.plan)));
  }
  std::vector<std::size_t> order(waiting_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return expected[a] < expected[b]; });
  return order;
}

/// Takes one that waits among the trials, unless it runs as one that is there.
bool PlanSearch::take(PlanTrial& candidate) {
  if (is_repeated(candidate)) return false;
  taken_.insert(PlanEstimates::kind_of(candidate.plan));
  trials_.push_back(std::exchange(candidate, {}));
  return true;
}

/// Of those that wait the best of so many kinds.
std::vector<std::size_t> PlanSearch::best_waiting(std::size_t count) const {
  std::vector<std::size_t> best;
  std::set<std::string> kinds = taken_;
  for (const std::size_t at : by_expected()) {
    if (best.size() == count) break;
    const PlanTrial& candidate = waiting_[at];
    if (candidate.tiles.empty() || is_repeated(candidate)) continue;
    if (kinds.insert(PlanEstimates::kind_of(candidate.plan)).second) best.push_back(at);
  }
  return best;
}

/// Rehearses those of some plans that were not yet: then they promise no more than that. Whether
/// there were any.
bool PlanSearch::rehearse(const std::vector<PlanTrial*>& trials, const SearchControl& phase) {
  if (ground_.options.network == sim::NetworkKind::analytic) return false;
  std::vector<PlanTrial*> chosen;
  for (PlanTrial* const trial : trials) {
    if (rehearsed_ == kMostRehearsed) break;
    if (std::exchange(trial->was_rehearsed, true)) continue;
    ++rehearsed_;
    chosen.push_back(trial);
  }
  if (chosen.empty()) return false;
  run_parallel(chosen.size(), phase,
               [&](std::size_t i) { rehearse_trial(ground_, phase, *chosen[i]); });
  for (const PlanTrial* const trial : chosen) {
    if (!trial->rehearsal) continue;
    kept_in_rehearsal_.add(trial->plan, estimates_.kept_share(trial->plan, estimated_speed(*trial),
                                                              most_promised(*trial)));
  }
  return true;
}

bool PlanSearch::rehearse_waiting(const std::vector<std::size_t>& waiting,
                                  const SearchControl& phase) {
  std::vector<PlanTrial*> trials;
  for (const std::size_t at : waiting) trials.push_back(&waiting_[at]);
  return rehearse(trials, phase);
}

/// Routes those of some that wait that have no routes yet: then they promise what they do on these.
/// Whether there were any.
bool PlanSearch::route(const std::vector<std::size_t>& waiting, const SearchControl& phase) {
  std::vector<std::size_t> chosen;
  for (const std::size_t at : waiting) {
    if (routed_.size() == most_routed_) break;
    if (!is_routed(waiting_[at].plan, ground_.hardware)) continue;
    if (routed_.insert(at).second) chosen.push_back(at);
  }
  if (chosen.empty()) return false;
  const auto count = static_cast<std::int64_t>(chosen.size());
  control_.tell({"routing " + counted_text(count, "plan"), ground_.workload.name});
  std::vector<PlanSpeed> before;
  for (const std::size_t at : chosen) before.push_back(most_promised(waiting_[at]));
  run_counted(chosen.size(), phase, "routed", ground_.workload.name,
              [&](std::size_t i) { route_trial(ground_, phase, waiting_[chosen[i]]); });
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const PlanTrial& trial = waiting_[chosen[i]];
    kept_on_routes_.add(trial.plan,
                        estimates_.kept_share(trial.plan, before[i], most_promised(trial)));
  }
  return true;
}

/// Takes the best of those that wait among the trials, one of each kind; how many. Rehearsals and
/// routes lower what a plan promises, hardly ever raise it, so only those are rehearsed, and then
/// routed, that are the best before they are.
std::size_t PlanSearch::take_best(std::size_t count, const SearchControl& phase) {
  std::vector<std::size_t> best = best_waiting(count);
  while (rehearse_waiting(best, phase) || route(best, phase)) best = best_waiting(count);
  for (const std::size_t at : best) take(waiting_[at]);
  return best.size();
}

/// Takes the best of each shallow pipeline of which there is none among the trials.
void PlanSearch::take_shallow() {
  std::set<std::int64_t> depths;
  for (std::size_t i = given_; i < trials_.size(); ++i) depths.insert(trials_[i].plan.pipeline);
  for (const std::size_t at : by_expected()) {
    PlanTrial& candidate = waiting_[at];
    const std::int64_t depth = candidate.plan.pipeline;
    if (candidate.tiles.empty() || depth > kShallow || depths.contains(depth)) continue;
    if (take(candidate)) depths.insert(depth);
  }
}

/// Takes the best plan of each part of the mesh that may win, behind those that are chosen: what a
/// smaller machine does best is not left out because a larger one has more that promises alike.
void PlanSearch::take_parts(const SearchControl& phase) {
  if (phase.is_cut() || !phase.has_time_for(ground_.steps.of(Step::simulation))) return;
  const std::uint64_t light = most_work(job_.budget.work) / kRoundsOfWork;
  std::stable_sort(parts_.begin(), parts_.end(), [&](const PlanTrial& a, const PlanTrial& b) {
    return estimates_.promised(a) < estimates_.promised(b);
  });
  std::size_t taken = 0;
  for (PlanTrial& candidate : parts_) {
    const bool has_room = taken < kPartsSimulated && trials_.size() < given_ + job_.budget.top;
    if (has_room && may_win(candidate, light) && !is_repeated(candidate)) {
      trials_.push_back(std::move(candidate));
      ++taken;
    } else {
      passed_over_.add("a part of the mesh that others promise more than", promise_text(candidate));
    }
  }
  parts_.clear();
}

/// Notes how much of its promise each of the trials kept.
void PlanSearch::learn() {
  kept_ = {};
  for (std::size_t i = job_.baseline ? 1 : 0; i < trials_.size(); ++i) {
    const PlanTrial& trial = trials_[i];
    if (!trial.trial.measured) continue;
    kept_.add(trial.plan,
              estimates_.kept_share(trial.plan, most_promised(trial), measured_speed(trial)));
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
  const std::vector<std::size_t> waiting = by_expected();
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = given_; i < trials_.size(); ++i) {
    if (!trials_[i].plan.within) ++taken[PlanEstimates::kind_of(trials_[i].plan)];
  }
  for (const std::size_t at : order) {
    const std::string kind = PlanEstimates::kind_of(trials_[at].plan);
    for (const std::size_t of_kind : waiting) {
      PlanTrial& candidate = waiting_[of_kind];
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
    if (is_repeated(candidate)) {
      passed_over_.add("runs exactly as one that is simulated", candidate.trial.name);
      continue;
    }
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
    if (same.reuse != candidate.plan.reuse) return false;
    if (same.layer.partitions != candidate.plan.layer.partitions) return false;
    same.layout = candidate.plan.layout;
    same.within = candidate.plan.within;
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
              [&](std::size_t i) { simulate_trial(ground_, control, trials_[chosen[i]], {}); });
}

/// What all simulations of a round may take together, the same for efforts up to the default. Only
/// under a time limit alone there is no bound.
std::uint64_t PlanSearch::most_work(std::uint64_t work) const {
  if (!control_.effort_limits()) return std::numeric_limits<std::uint64_t>::max();
  const int by_default = SearchControl{}.effort;
  return work << std::max(0, control_.effort - by_default);
}

/// Simulates some trials, a few at once.
void PlanSearch::simulate_within(const std::vector<std::size_t>& chosen,
                                 const std::function<TrialRun(const PlanTrial&)>& run_of,
                                 std::uint64_t most, const SearchControl& control) {
  for (std::size_t begin = 0; begin < chosen.size() && !control.is_cut();) {
    if (work_ >= most && (begin > 0 || best())) break;
    const std::size_t count = std::min(kSimulatedAtOnce, chosen.size() - begin);
    run_parallel(count, control, [&](std::size_t i) {
      PlanTrial& trial = trials_[chosen[begin + i]];
      simulate_trial(ground_, control, trial, run_of(trial));
    });
    for (std::size_t i = begin; i < begin + count; ++i) work_ += trials_[chosen[i]].work;
    begin += count;
    const auto ran = std::count_if(trials_.begin(), trials_.end(), [](const PlanTrial& trial) {
      return trial.trial.measured.has_value();
    });
    control.tell(
        {fmt::format("simulated {} of {} plans", ran, trials_.size()), ground_.workload.name});
  }
  learn();
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

/// Whether a plan may run faster than the best: one of which the rest is no more than twice what is
/// light if it promises more, a heavier one if it is expected to keep more. One that is as good may
/// be better by what estimates round.
bool PlanSearch::may_win(const PlanTrial& trial, std::uint64_t light) const {
  constexpr double kHope = 1.001;
  const std::optional<std::size_t> to_beat = best();
  if (!to_beat) return true;
  const double kept = kept_.of(trial.plan);
  const bool is_heavy = rest_of_run(trial, light).work > 2 * static_cast<double>(light);
  const double hoped = kHope * (is_heavy ? kept : std::max(1.0, kept));
  return estimates_.promised(trial, hoped) < estimates_.measured(trials_[*to_beat]);
}

/// Some of the trials, those first that are expected to run fastest.
std::vector<std::size_t> PlanSearch::by_hope(std::vector<std::size_t> some) const {
  const auto expected = [&](std::size_t at) {
    return estimates_.promised(trials_[at], kept_.of(trials_[at].plan));
  };
  std::stable_sort(some.begin(), some.end(),
                   [&](std::size_t a, std::size_t b) { return expected(a) < expected(b); });
  return some;
}

/// Of what was proposed and has not run but may win, learns how much work the whole of each
/// simulation takes, by a little of it. Then runs those that the work is enough for and that take
/// no more than is left to one, the most promising first: what is light exactly.
/// All is counted, so that all runs leave out the same plans.
void PlanSearch::simulate_those_within(const RoundOfWork& round, const SearchControl& control) {
  std::vector<std::size_t> unknown = not_run();
  std::vector<PlanTrial*> proposed;
  for (const std::size_t at : unknown) proposed.push_back(&trials_[at]);
  rehearse(proposed, control);
  std::erase_if(unknown, [&](std::size_t at) { return !may_win(trials_[at], round.light); });
  if (unknown.empty()) return;
  control.tell({fmt::format("simulating {}",
                            counted_text(static_cast<std::int64_t>(unknown.size()), "plan")),
                ground_.workload.name});
  std::erase_if(unknown, [&](std::size_t at) { return trials_[at].needed_work > 0; });
  // All probes together are at most a quarter.
  const std::uint64_t probes = std::max<std::uint64_t>(kProbesOfWork, 4 * unknown.size());
  const TrialRun probe{Exactness::exact, std::max<std::uint64_t>(1, round.most / probes)};
  simulate_within(
      unknown, [&](const PlanTrial& /*trial*/) { return probe; }, round.most, control);
  while (!control.is_cut()) {
    std::vector<std::size_t> chosen;
    double left = static_cast<double>(round.most) - static_cast<double>(work_);
    std::size_t heavy = 0;
    for (const std::size_t at : by_hope(not_run())) {
      if (chosen.size() == kSimulatedAtOnce || heavy == kHeavyAtOnce) break;
      if (trials_[at].needed_work == 0) continue;
      const RestOfRun rest = rest_of_run(trials_[at], round.light);
      if (rest.work > std::min(left, static_cast<double>(round.of_one))) continue;
      if (!may_win(trials_[at], round.light)) continue;
      left -= rest.work;
      if (rest.exactness == Exactness::rough) ++heavy;
      chosen.push_back(at);
    }
    if (chosen.empty()) break;
    simulate_within(chosen, by_needed(round.light), round.most, control);
  }
}

/// Where nothing has run, that which takes least.
void PlanSearch::simulate_one_at_least(std::uint64_t light, std::uint64_t most,
                                       const SearchControl& control) {
  while (!best() && !control.is_cut()) {
    std::vector<std::size_t> waiting = not_run();
    std::erase_if(waiting, [&](std::size_t at) { return trials_[at].needed_work == 0; });
    if (waiting.empty()) break;
    const auto least = std::min_element(waiting.begin(), waiting.end(), [&](auto a, auto b) {
      return rest_of_run(trials_[a], light).work < rest_of_run(trials_[b], light).work;
    });
    simulate_within({*least}, by_needed(light), most, control);
  }
}

/// Says of those that have not run why they were left out.
void PlanSearch::say_why_left_out(std::uint64_t light, const SearchControl& control) {
  for (const std::size_t at : not_run()) {
    PlanTrial& left = trials_[at];
    if (control.is_cut()) {
      left.trial.verdict = Verdict::cut;
      left.trial.reason = "its simulation was cut by the time limit or a signal";
      continue;
    }
    left.trial.verdict = Verdict::outranked;
    if (!may_win(left, light)) {
      left.trial.reason = kExpectedSlower;
    } else if (left.needed_work > 0) {
      left.trial.reason = "its simulation is more work than this --effort leaves for it";
    } else {
      left.trial.reason = "simulations of plans that promise more took the work of this --effort";
    }
  }
}

/// Simulates the best once more, exactly, until the best is one that was. If that takes more than
/// `most` work, the plans that ran roughly and seem better are left out.
void PlanSearch::simulate_best_exactly(std::uint64_t most, const SearchControl& control) {
  std::uint64_t work = 0;
  for (;;) {
    const std::optional<std::size_t> first = best();
    if (!first || !trials_[*first].is_rough) break;
    PlanTrial& trial = trials_[*first];
    if (work >= most) {
      trial.trial.measured.reset();
      trial.trial.verdict = Verdict::outranked;
      trial.trial.reason = "exact simulations of others took the work of this --effort";
      continue;
    }
    const PlanTrial rough = trial;
    control.tell({"simulating the best exactly", ground_.workload.name});
    simulate_trial(ground_, control, trial, {});
    work += trial.work;
    if (trial.trial.verdict == Verdict::cut) {
      trial = rough;
      was_cut_ = true;
      break;
    }
  }
  for (PlanTrial& trial : trials_) {
    if (trial.is_rough && trial.trial.measured) trial.trial.description += "; simulated roughly";
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

/// Simulates the fastest with branches of its stages side by side, where that makes stages shorter.
void PlanSearch::run_branches() {
  const std::optional<std::size_t> from = best();
  if (!from || control_.is_cut()) return;
  if (!control_.has_time_for(ground_.steps.of_placing())) {
    was_cut_ = true;
    return;
  }
  PlanTrial candidate{{trials_[*from].trial.name + ", branches side by side",
                       "operators of a stage that do not depend on each other on parts of it"},
                      {},
                      trials_[*from].tiles};
  try {
    std::optional<Plan> plan = with_branches(ground_, trials_[*from], control_);
    if (!plan) return;
    candidate.plan = *std::move(plan);
    estimate(ground_, candidate);
  } catch (const RunCut&) {
    was_cut_ = true;
    return;
  }
  trials_.push_back(std::move(candidate));
  simulate({trials_.size() - 1}, control_);
}

void PlanSearch::fail_without_any() const {
  std::string why = estimates_.why_none();
  for (const PlanTrial& candidate : trials_) {
    why = candidate.trial.name + ": " + candidate.trial.reason;
  }
  throw no_plan(ground_, space_, control_, why, left_something_out());
}

}  // namespace waferloom::optimize
