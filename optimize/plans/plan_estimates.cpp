#include "optimize/plans/plan_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "optimize/plans/large_mesh.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"
#include "optimize/trial.h"
#include "planner/plan_space.h"
#include "sim/simulate.h"

// Problem: rank thousands of plans without simulating them.
// Idea: estimate one plan of each degrees. Estimate variants of the degrees that promise most, by
// the estimate or by another model: the best layouts and states of replicas, in all other ways. A
// bound by computing alone rules out degrees that cannot reach them. Source: ours; the estimate is
// that of optimize/plans/plan_trial.h, the other models are DFModel and AMPeD (docs/planner.md).
// Cost: O(degrees + refined · variants) estimates, on all threads.
namespace waferloom::optimize {
namespace {

constexpr double kRounding = 1.001;  // estimates round times to picoseconds
constexpr const char* kNoMemory = "does not fit the memory";
constexpr const char* kNotEstimated = "not estimated: the time limit or a signal came first";

/// A message without its numbers, which differ from plan to plan.
std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) text += c;
    if (digit && (text.empty() || text.back() != '#')) text += '#';
  }
  return text;
}

/// On a large mesh: how much of the states replicas divide.
std::vector<planner::PlanChoices> states_dimensions(const Plan& plan) {
  if (!plan.trains() || plan.data == 1) return {};
  planner::PlanChoices choices;
  for (const std::int64_t zero : {plan.zero, std::int64_t{3}}) {
    choices.push_back([zero](Plan& choice) { choice.zero = zero; });
  }
  return {choices};
}

/// The promises of the best degrees so far, as many as are refined.
class BestPromises {
 public:
  /// The one that every other degrees have to beat; nothing as long as there is room.
  std::optional<double> least() const {
    if (best_.size() < kMostRefined) return std::nullopt;
    return *best_.begin();
  }
  void add(double promise) {
    best_.insert(promise);
    if (best_.size() > kMostRefined) best_.erase(best_.begin());
  }

 private:
  std::multiset<double> best_;
};

}  // namespace

void set_stream(Plan& plan) {
  if (plan.trains()) return;
  plan.micro_batches = std::max(plan.micro_batches, sim::samples_of_stream(plan.pipeline));
}

PlanEstimates::PlanEstimates(const PlanGround& ground, const planner::PlanSpace& space,
                             PassedOverCounts& passed_over, RankedBy ranked_by)
    : ground_(ground),
      space_(space),
      passed_over_(passed_over),
      ranked_by_(ranked_by),
      bound_(ground, space),
      timer_(ground.workload, ground.hardware),
      coarse_(
          [this](const Plan& plan) { return and_cuts(planner::coarse_dimensions(plan), plan); }),
      states_([this](const Plan& plan) { return and_cuts(states_dimensions(plan), plan); }) {}

/// How operators are cut, besides.
std::vector<planner::PlanChoices> PlanEstimates::and_cuts(
    std::vector<planner::PlanChoices> dimensions, const Plan& plan) const {
  dimensions.push_back(ground_.degrees.choices(plan));
  return dimensions;
}

std::string PlanEstimates::kind_of(const Plan& plan) {
  Plan degrees;
  degrees.tensor = plan.tensor;
  degrees.data = plan.data;
  degrees.pipeline = plan.pipeline;
  degrees.micro_batch = plan.micro_batch;
  degrees.micro_batches = plan.micro_batches;
  return planner::plan_name(degrees);
}

double PlanEstimates::objective_of(const Plan& plan, double samples_per_s, double latency_s) const {
  const Hardware& hardware = ground_.hardware;
  const double part = static_cast<double>(plan.tiles() * plan.pipeline) /
                      static_cast<double>(usable_tiles(hardware.wafer));
  switch (ranked_by_.objective) {
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

double PlanEstimates::promised(const PlanTrial& trial, double kept_share) const {
  const PlanSpeed most = most_promised(trial);
  return objective_of(trial.plan, kept_share * most.samples_per_s, most.latency_s / kept_share);
}

double PlanEstimates::measured(const PlanTrial& trial) const {
  const PlanSpeed speed = measured_speed(trial);
  return objective_of(trial.plan, speed.samples_per_s, speed.latency_s);
}

double PlanEstimates::kept_share(const Plan& plan, const PlanSpeed& promised,
                                 const PlanSpeed& left) const {
  if (ranked_by_.objective == planner::Objective::time && !plan.trains()) {
    return promised.latency_s / left.latency_s;
  }
  return left.samples_per_s / promised.samples_per_s;
}

/// Whether what computes slower than others are estimated cannot be better than they.
bool PlanEstimates::bounds_objective() const {
  return ranked_by_.model == RankingModel::palm &&
         (ranked_by_.objective == planner::Objective::throughput ||
          (ranked_by_.objective == planner::Objective::time && space_.base.trains()));
}

std::vector<PlanTrial> PlanEstimates::proposed(const SearchControl& control,
                                               const TryFirst& try_first) {
  control.tell({"estimating plans", ground_.workload.name});
  if (is_large(ground_.hardware)) return few_estimates(control, try_first);
  count_what_is_not_enumerated();
  std::vector<PlanTrial> coarse = coarse_estimates(control, try_first);
  if (ranked_by_.model != RankingModel::palm) rank_by_model(control);
  std::vector<PlanTrial> fine = estimated(
      best_variants(coarse),
      [&](const Plan& plan) { return planner::fine_dimensions(plan, space_.routings); },
      control.within(EstimatePhases::kFine), true);
  return fine.empty() ? coarse : fine;
}

std::optional<PlanTrial> PlanEstimates::first(const SearchControl& control) {
  const std::vector<RankedDegrees> ranked = ranked_degrees(control);
  const std::size_t end = std::min(kEstimatedSoon, ranked.size());
  for (std::size_t begin = 0; begin < end; begin += kEstimatedAtFirst) {
    std::vector<Plan> some;
    for (std::size_t i = begin; i < std::min(begin + kEstimatedAtFirst, end); ++i) {
      some.push_back(ranked[i].plan);
    }
    std::vector<PlanTrial> fit = estimated(some, coarse_, control, false);
    if (!fit.empty()) return std::move(fit.front());
  }
  return std::nullopt;
}

std::vector<PlanTrial> PlanEstimates::of_parts(const SearchControl& control) {
  std::vector<PlanTrial> best;
  if (is_large(ground_.hardware) || ground_.hardware.topology == Topology::switched) return best;
  const SearchControl phase = control.within(EstimatePhases::kFine);
  for (const Rectangle& part : planner::parts_of_mesh(space_.mesh)) {
    if (is_over(phase, true)) break;
    const Wafer mesh = sim::wafer_of_part(space_.mesh, part);
    std::vector<Plan> some;
    for (const PlanTrial& kind : kinds_) {
      if (some.size() == kEstimatedOfPart) break;
      if (most_clear_blocks(mesh, kind.plan.tiles()) < kind.plan.pipeline) continue;
      some.push_back(kind.plan);
      some.back().within = part;
    }
    const std::vector<PlanTrial> coarse = estimated(
        some, [](const Plan&) { return std::vector<planner::PlanChoices>(); }, phase, true);
    some.clear();
    for (std::size_t i = 0; i < std::min(coarse.size(), kRefinedOfPart); ++i) {
      some.push_back(coarse[i].plan);
    }
    std::vector<PlanTrial> fine = estimated(
        some, [&](const Plan& plan) { return planner::fine_dimensions(plan, space_.routings); },
        phase, true);
    if (!fine.empty()) best.push_back(std::move(fine.front()));
  }
  return best;
}

std::string PlanEstimates::why_none() const {
  std::string why = counts_.why_infeasible;
  for (const PassedOver& group : passed_over_.all()) {
    why = group.example;
    if (group.reason == kNoMemory) break;
  }
  return why;
}

/// Whether a part of the run leaves no time for another estimate. As long as no plan was found that
/// can run, all of the run is there to find one.
bool PlanEstimates::is_over(const SearchControl& part, bool is_found) const {
  if (!is_found) return !part.has_time_for(Clock::duration{0});
  return part.is_cut(ground_.steps.of(Step::estimate));
}

/// All, those that compute fastest first.
std::vector<PlanEstimates::RankedDegrees> PlanEstimates::ranked_degrees(
    const SearchControl& control) {
  std::vector<RankedDegrees> ranked;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> degrees;
  for (Plan& plan : planner::plan_degrees(space_)) {
    if (control.is_cut()) {
      was_cut_ = true;
      break;
    }
    set_stream(plan);
    degrees.emplace(plan.pipeline, plan.data, plan.tensor);
    const double bound = bound_.samples_per_s(plan);
    ranked.push_back({std::move(plan), bound});
  }
  counts_.degrees = degrees.size();
  counts_.plans = ranked.size();
  std::stable_sort(
      ranked.begin(), ranked.end(),
      [](const RankedDegrees& a, const RankedDegrees& b) { return a.bound > b.bound; });
  return ranked;
}

void PlanEstimates::count_what_is_not_enumerated() {
  const std::int64_t tiles = space_.mesh.width * space_.mesh.height;
  if (tiles > space_.operators) {
    passed_over_.add("fewer operators than stages", fmt::format("PP{}", space_.operators + 1),
                     static_cast<std::size_t>(tiles - space_.operators));
  }
  struct Uneven {
    std::int64_t first = 0;
    std::size_t count = 0;
  };
  std::map<std::int64_t, Uneven> uneven;  // by heads
  for (std::int64_t tensor = 1; tensor <= tiles; ++tensor) {
    const auto heads = planner::undivided_heads(space_, tensor);
    if (!heads) continue;
    const auto [at, is_new] = uneven.try_emplace(*heads, Uneven{tensor});
    ++at->second.count;
  }
  for (const auto& [heads, found] : uneven) {
    passed_over_.add(fmt::format("tensor does not divide the {} heads of a layer", heads),
                     fmt::format("TP{}", found.first), found.count);
  }
}

/// A few variants each of the degrees that may be among the best, the best first.
std::vector<PlanTrial> PlanEstimates::coarse_estimates(const SearchControl& control,
                                                       const TryFirst& try_first) {
  const std::vector<RankedDegrees> ranked = ranked_degrees(control);
  std::vector<PlanTrial> coarse;
  BestPromises promises;
  const SearchControl phase = control.within(EstimatePhases::kCoarse);
  std::size_t count = kEstimatedAtFirst;
  for (std::size_t begin = 0; begin < ranked.size();) {
    // Of those that do not fit as many are looked at as it takes to find some that do.
    const bool are_enough = begin >= kMostEstimated && !coarse.empty();
    const bool is_beaten = are_enough || (bounds_objective() && promises.least() &&
                                          kRounding * ranked[begin].bound < *promises.least());
    const bool is_late = is_over(phase, !coarse.empty() && tried_ != Tried::refused);
    if (is_beaten || is_late) {
      was_cut_ = was_cut_ || !is_beaten;
      std::size_t left = ranked.size() - begin;
      if (is_beaten) left -= add_shallow(ranked, begin, phase, coarse);
      const char* const why =
          is_beaten ? "computes slower than others are estimated, communication left out"
                    : kNotEstimated;
      if (left > 0) passed_over_.add(why, planner::plan_name(ranked.back().plan), left);
      break;
    }
    std::vector<Plan> some;
    const std::size_t end = std::min(begin + count, ranked.size());
    for (std::size_t i = begin; i < end; ++i) some.push_back(ranked[i].plan);
    begin = end;
    count = std::min(2 * count, kEstimatedAtOnce);
    std::vector<PlanTrial> more =
        estimated(some, coarse_, phase, !coarse.empty() && tried_ != Tried::refused);
    try_some(try_first, more);
    for (const PlanTrial& kind : add_candidates(more)) promises.add(*kind.trial.promised_per_s);
    for (PlanTrial& candidate : more) coarse.push_back(std::move(candidate));
  }
  const auto promises_more = [&](const PlanTrial& a, const PlanTrial& b) {
    return promised(a) < promised(b);
  };
  std::stable_sort(coarse.begin(), coarse.end(), promises_more);
  std::stable_sort(kinds_.begin(), kinds_.end(), promises_more);
  count_kinds();
  return coarse;
}

/// Estimates a few of the degrees from `begin` on of each shallow pipeline of which there is no
/// estimate; how many degrees. Estimates are too high where pipelines are deep and stages short.
std::size_t PlanEstimates::add_shallow(const std::vector<RankedDegrees>& ranked, std::size_t begin,
                                       const SearchControl& phase,
                                       std::vector<PlanTrial>& estimates) {
  std::map<std::int64_t, std::size_t> of_depth;
  for (const PlanTrial& kind : kinds_) of_depth[kind.plan.pipeline] = kShallowOfEach;
  std::vector<Plan> some;
  for (std::size_t i = begin; i < ranked.size(); ++i) {
    const Plan& plan = ranked[i].plan;
    if (plan.pipeline > kShallow || of_depth[plan.pipeline] >= kShallowOfEach) continue;
    ++of_depth[plan.pipeline];
    some.push_back(plan);
  }
  std::vector<PlanTrial> more = estimated(some, coarse_, phase, true);
  add_candidates(more);
  for (PlanTrial& candidate : more) estimates.push_back(std::move(candidate));
  return some.size();
}

/// Of a large mesh: the first few plans that can run, of those that models rank.
std::vector<PlanTrial> PlanEstimates::few_estimates(const SearchControl& control,
                                                    const TryFirst& try_first) {
  PromisingPlans promising;
  try {
    promising = promising_plans(ground_, space_, timer_, ranked_by_.model, control);
  } catch (const RunCut&) {
    was_cut_ = true;
    return {};
  }
  counts_.degrees = promising.degrees;
  counts_.plans = promising.with_micro_batches;
  counts_.why_infeasible = promising.why_none;
  std::vector<PlanTrial> trials;
  const SearchControl phase = control.within(EstimatePhases::kFine);
  std::vector<Plan>& plans = promising.plans;
  const auto is_hopeless = [&] {
    return !trials.empty() &&
           kHopeless * trials.front().trial.promised_per_s.value() < rival_per_s_;
  };
  for (std::size_t begin = 0;
       begin < plans.size() && kinds_.size() < kEstimatedOnLarge && !is_hopeless();) {
    const bool is_found = !trials.empty() && tried_ != Tried::refused;
    if (is_over(phase, is_found)) {
      was_cut_ = true;
      break;
    }
    const std::size_t most =
        rival_per_s_ > 0 && trials.empty() ? kEstimatedAtFirst : kEstimatedOnLarge - kinds_.size();
    const std::size_t end = std::min(begin + most, plans.size());
    std::vector<Plan> some;
    for (; begin < end; ++begin) some.push_back(std::move(plans[begin]));
    for (Plan& plan : some) set_stream(plan);
    std::vector<PlanTrial> more = estimated(some, states_, phase, is_found);
    try_some(try_first, more);
    add_candidates(more);
    for (PlanTrial& trial : more) trials.push_back(std::move(trial));
  }
  const auto is_better = [&](const PlanTrial& a, const PlanTrial& b) {
    return promised(a) < promised(b);
  };
  std::stable_sort(trials.begin(), trials.end(), is_better);
  std::stable_sort(kinds_.begin(), kinds_.end(), is_better);
  count_kinds();
  if (ranked_by_.model != RankingModel::palm) rank_by_model(control);
  return trials;
}

/// Tries the first of some estimates, unless a plan has run.
void PlanEstimates::try_some(const TryFirst& try_first, const std::vector<PlanTrial>& estimated) {
  if (!try_first || tried_ == Tried::ran || estimated.empty()) return;
  tried_ = std::max(tried_, try_first(estimated.front()));
}

/// Takes note of the first of each kind among estimates, which these are.
std::span<const PlanTrial> PlanEstimates::add_candidates(const std::vector<PlanTrial>& estimated) {
  const std::size_t begin = kinds_.size();
  std::set<std::string> seen;
  for (const PlanTrial& candidate : estimated) {
    if (seen.insert(kind_of(candidate.plan)).second) kinds_.push_back(candidate);
  }
  return std::span(kinds_).subspan(begin);
}

/// How many were estimated and fit, and how many do not in any variant.
void PlanEstimates::count_kinds() {
  for (const PlanTrial& kind : kinds_) without_memory_.erase(kind_of(kind.plan));
  counts_.candidates = kinds_.size();
  counts_.infeasible = without_memory_.size();
}

/// Ranks kinds by what another model says of them, those that it does not know last.
void PlanEstimates::rank_by_model(const SearchControl& control) {
  std::vector<Plan> plans;
  for (const PlanTrial& kind : kinds_) plans.push_back(kind.plan);
  control.tell({fmt::format("mapping kernels of {} plans", plans.size()), ground_.workload.name});
  if (!timer_.prepare(plans, control.threads, control.within(EstimatePhases::kFine))) {
    was_cut_ = true;
    return;
  }
  std::vector<std::pair<double, PlanTrial>> ranked;
  for (PlanTrial& kind : kinds_) {
    std::optional<planner::PlanTime> time = timer_.dfmodel(kind.plan);
    if (ranked_by_.model == RankingModel::amped) time = timer_.amped(kind.plan);
    const double value = time ? objective_of(kind.plan, time->samples_per_s, time->latency_s)
                              : std::numeric_limits<double>::infinity();
    ranked.emplace_back(value, std::move(kind));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < ranked.size(); ++i) kinds_[i] = std::move(ranked[i].second);
}

/// Of the degrees that promise most, and of the best of each shallow pipeline, the few variants
/// that promise most.
std::vector<Plan> PlanEstimates::best_variants(const std::vector<PlanTrial>& coarse) {
  std::set<std::string> degrees;
  std::set<std::int64_t> depths;
  for (const PlanTrial& kind : kinds_) {
    const bool is_first = depths.insert(kind.plan.pipeline).second;
    const bool is_shallow = is_first && kind.plan.pipeline <= kShallow;
    if (degrees.size() >= kMostRefined && !is_shallow) {
      passed_over_.add(fmt::format("ranked behind {} other degrees", kMostRefined),
                       promise_text(kind));
      continue;
    }
    degrees.insert(kind_of(kind.plan));
  }
  std::vector<Plan> variants;
  std::map<std::string, std::size_t> taken;
  for (const PlanTrial& trial : coarse) {
    const std::string kind = kind_of(trial.plan);
    if (!degrees.contains(kind) || taken[kind]++ >= kRefinedOfEach) continue;
    variants.push_back(trial.plan);
  }
  return variants;
}

std::vector<PlanCandidate> PlanEstimates::candidates(const SearchControl& control) {
  std::vector<PlanCandidate> all;
  std::vector<Plan> first;
  for (const PlanTrial& kind : kinds_) {
    all.push_back({kind.plan, *kind.trial.promised_per_s});
    if (first.size() < kPricedCandidates) first.push_back(kind.plan);
  }
  if (!timer_.prepare(first, control.threads, control)) return all;
  for (std::size_t i = 0; i < first.size(); ++i) {
    all[i].dfmodel = timer_.dfmodel(first[i]);
    all[i].amped = timer_.amped(first[i]);
  }
  return all;
}

/// Whether it is asked what the best plan promises, and not how the others rank behind it.
bool PlanEstimates::wants_best_alone() const {
  return rival_per_s_ > 0 && is_large(ground_.hardware) && ranked_by_.model == RankingModel::palm;
}

/// Of plans that promise what they would without exchanges: prices the exchanges of those that may
/// be the best, those first that promise most, until the others promise less even without them.
/// What cannot be priced is passed over.
void PlanEstimates::settle_best(std::vector<PlanTrial>& bounded, const SearchControl& part) {
  constexpr std::size_t kAtOnce = 2;  // on however many threads
  std::vector<std::size_t> order(bounded.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return promised(bounded[a]) < promised(bounded[b]);
  });
  std::vector<std::optional<std::string>> refused(bounded.size());
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t begin = 0; begin < order.size(); begin += kAtOnce) {
    if (promised(bounded[order[begin]]) > best) break;
    const std::size_t count = std::min(kAtOnce, order.size() - begin);
    run_parallel(count, part, [&](std::size_t i) {
      const std::size_t at = order[begin + i];
      try {
        const bool is_late = is_over(part, best < std::numeric_limits<double>::infinity());
        refused[at] = is_late ? kNotEstimated : lay_out(ground_, bounded[at]);
      } catch (const RunCut&) {
        refused[at] = kNotEstimated;
      }
    });
    for (std::size_t i = begin; i < begin + count; ++i) {
      if (!refused[order[i]]) best = std::min(best, promised(bounded[order[i]]));
    }
  }
  std::vector<PlanTrial> kept;
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    if (!refused[i]) {
      kept.push_back(std::move(bounded[i]));
      continue;
    }
    was_cut_ = was_cut_ || *refused[i] == kNotEstimated;
    passed_over_.add(without_numbers(*refused[i]), bounded[i].trial.name + ": " + *refused[i]);
  }
  bounded = std::move(kept);
}

/// All variants that can be laid out and fit, each once, the fastest by estimate first; the others
/// are passed over. Where the best alone is wanted, behind it at what they promise at most.
std::vector<PlanTrial> PlanEstimates::estimated(const std::vector<Plan>& degrees,
                                                const Dimensions& dimensions,
                                                const SearchControl& part, bool is_found) {
  std::vector<PlanTrial> all;
  for (const Plan& degree : degrees) {
    for (Plan& plan : planner::plan_variants(degree, dimensions(degree)))
      all.push_back({{}, std::move(plan), {}});
  }
  std::vector<std::optional<std::string>> refused(all.size());
  std::atomic<bool> found = is_found;
  std::optional<sim::ExchangeCache> free;
  if (wants_best_alone()) free.emplace(sim::ExchangeCache::Free{}, ground_.hardware);
  sim::ExchangeCache& exchanges = free ? *free : ground_.exchanges;
  run_parallel(all.size(), part, [&](std::size_t i) {
    try {
      refused[i] = is_over(part, found) ? kNotEstimated : lay_out_with(ground_, exchanges, all[i]);
    } catch (const RunCut&) {
      refused[i] = kNotEstimated;
    }
    if (!refused[i] && all[i].complaint.empty()) found = true;
    all[i].trial.name = planner::plan_name(all[i].plan);
    all[i].trial.description = "enumerated";
  });
  std::vector<PlanTrial> kept;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!names.insert(all[i].trial.name).second) continue;
    if (refused[i]) {
      was_cut_ = was_cut_ || *refused[i] == kNotEstimated;
      passed_over_.add(without_numbers(*refused[i]), all[i].trial.name + ": " + *refused[i]);
    } else if (!all[i].complaint.empty()) {
      const std::string example = all[i].trial.name + ": " + all[i].complaint;
      without_memory_.insert(kind_of(all[i].plan));
      if (counts_.why_infeasible.empty()) counts_.why_infeasible = example;
      passed_over_.add(kNoMemory, example);
    } else {
      kept.push_back(std::move(all[i]));
    }
  }
  if (free) settle_best(kept, part);
  std::stable_sort(kept.begin(), kept.end(), [&](const PlanTrial& a, const PlanTrial& b) {
    return promised(a) < promised(b);
  });
  return kept;
}

}  // namespace waferloom::optimize
