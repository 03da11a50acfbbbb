#include "optimize/plans/model_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

#include "optimize/plans/compute_bound.h"
#include "optimize/plans/plan_routes.h"
#include "optimize/plans/search_budget.h"

// Problem: choose, of all plans, a few hundred that are worth laying out and estimating.
// Idea: take all degrees that fit the mesh. Walk their tensors through memory and drop what does
// not fit. Price the rest by two published models, sort, lay the best out in all variants, and
// estimate these with the wafer's own links, ports and memory.
// Source: memory as in Centimani, partitions and sharding as in DFModel, time as in DFModel and
// AMPeD, estimate as in PALM (docs/planner.md). The chain of them is ours.
// Cost: O(degrees · stages) for memory; mapping kernels, once for all plans that are cut alike,
// takes most of the time.
namespace waferloom::optimize {
namespace {

/// Part of the tiles that a plan uses.
double used_part(const Plan& plan, const Hardware& hardware) {
  return static_cast<double>(plan.tiles() * plan.pipeline) /
         static_cast<double>(usable_tiles(hardware.wafer));
}

}  // namespace

ModelRanking::ModelRanking(const PlanJob& job, const PlanGround& ground,
                           const planner::PlanSpace& space)
    : job_(job),
      ground_(ground),
      space_(space),
      fitter_(ground.workload, ground.hardware),
      timer_(ground.workload, ground.hardware) {}

std::vector<PlanTrial> ModelRanking::proposed(const SearchControl& control,
                                              const TryFirst& try_first) {
  control.tell({"walking tensors through memory", ground_.workload.name});
  rank_degrees(control);
  // What fits may be too slow for any clock: under a time limit, which ends enumerating early, more
  // degrees are looked at until a plan has run.
  do {
    const std::size_t known = candidates_.size();
    enumerate(control);
    if (candidates_.empty()) return {};
    control.tell({fmt::format("mapping kernels of {} plans", candidates_.size() - known),
                  ground_.workload.name});
    price(known, control, try_first);
  } while (control.time_limit && !has_run_ && next_degrees_ < degrees_.size() && !control.is_cut());
  sort_candidates();
  if (control.is_cut() && !has_run_) return {};
  // What ran first computes fast; what ranks first, of all, is worth more if time is short.
  if (control.time_limit) try_best(control, try_first);
  return estimated(control);
}

/// All degrees. Under a time limit those that compute fastest come first, the others perhaps not at
/// all.
void ModelRanking::rank_degrees(const SearchControl& control) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Plan> degrees;
  for (const Plan& plan : planner::plan_degrees(space_)) {
    degrees.emplace(std::tuple{plan.pipeline, plan.data, plan.tensor}, plan);
  }
  counts_.degrees = degrees.size();
  ComputeBound bound(ground_, space_);
  for (auto& [key, plan] : degrees) {
    const bool is_ranked = control.time_limit && !control.is_cut();
    degrees_.emplace_back(is_ranked ? bound.samples_per_s(plan) : 0, plan);
  }
  std::stable_sort(degrees_.begin(), degrees_.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
}

/// Of the degrees that there is time for, of those to come one at least that fits, the
/// micro-batches that do.
void ModelRanking::enumerate(const SearchControl& control) {
  const SearchControl phase = control.within(ModelPhases::kEnumerated);
  const std::size_t known = candidates_.size();
  for (; next_degrees_ < degrees_.size(); ++next_degrees_) {
    if ((candidates_.size() == known ? control : phase).is_cut()) break;
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
void ModelRanking::price(std::size_t begin, const SearchControl& control,
                         const TryFirst& try_first) {
  const SearchControl phase = control.within(ModelPhases::kPriced);
  std::size_t priced = begin;
  // What is mapped for one plan serves all that are cut alike: without a limit all at once.
  std::size_t count = control.time_limit ? kPricedAtFirst : candidates_.size() - begin;
  for (; priced < candidates_.size(); count = std::min(2 * count, kPricedAtOnce)) {
    const SearchControl& part = has_run_ ? phase : control;
    const std::size_t end = std::min(priced + count, candidates_.size());
    std::vector<Plan> plans;
    for (std::size_t i = priced; i < end; ++i) plans.push_back(candidates_[i].plan);
    if (!timer_.prepare(plans, control.threads, part) || part.is_cut()) break;
    run_parallel(plans.size(), control, [&](std::size_t i) {
      if (control.is_cut()) return;
      PlanCandidate& candidate = candidates_[priced + i];
      candidate.dfmodel = timer_.dfmodel(candidate.plan);
      candidate.amped = timer_.amped(candidate.plan);
      candidate.by_degrees = ground_.degrees.samples_per_s(candidate.plan);
    });
    if (control.is_cut()) break;
    if (control.time_limit && !has_run_) try_early(priced, end, control, try_first);
    priced = end;
  }
  was_cut_ = was_cut_ || priced < candidates_.size();
  candidates_.resize(priced);
}

/// By the model that was asked for, the best first.
void ModelRanking::sort_candidates() {
  const auto place = [](const Plan& plan) {
    return std::tuple{plan.pipeline, plan.data, plan.tensor, plan.micro_batch};
  };
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [&](const PlanCandidate& a, const PlanCandidate& b) {
                     return std::pair{ranked_value(a), place(a.plan)} <
                            std::pair{ranked_value(b), place(b.plan)};
                   });
}

double ModelRanking::objective_of(const Plan& plan, double samples_per_s, double latency_s) const {
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

double ModelRanking::ranked_value(const PlanCandidate& plan_candidate) const {
  const bool amped = job_.model == RankingModel::amped && plan_candidate.amped;
  const planner::PlanTime& time = amped ? *plan_candidate.amped : plan_candidate.dfmodel;
  return objective_of(plan_candidate.plan, time.samples_per_s, time.latency_s);
}

/// A candidate's variants that promise most, or why there are none.
std::vector<PlanTrial> ModelRanking::laid_out(const PlanCandidate& candidate,
                                              const SearchControl& control,
                                              std::string& complaint) {
  std::vector<PlanTrial> variants;
  auto dimensions = planner::coarse_dimensions(candidate.plan);
  dimensions.push_back(planner::routing_choices(space_.routings));
  dimensions.push_back(ground_.degrees.choices(candidate.plan));
  for (Plan& plan : planner::plan_variants(candidate.plan, dimensions)) {
    if (!variants.empty() && !control.has_time_for(ground_.steps.of(Step::estimate))) {
      was_cut_ = true;
      break;
    }
    PlanTrial trial{{}, std::move(plan), {}};
    trial.latency_s = candidate.dfmodel.latency_s;
    std::optional<std::string> refused;
    try {
      refused = lay_out(ground_, trial);
    } catch (const RunCut&) {
      was_cut_ = true;
      break;
    }
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

/// Tries the candidates from `begin` to before `end`, the best first, until one has run, so that
/// there is something to show whenever the time limit comes.
void ModelRanking::try_early(std::size_t begin, std::size_t end, const SearchControl& control,
                             const TryFirst& try_first) {
  std::vector<const PlanCandidate*> order;
  for (std::size_t i = begin; i < end; ++i) order.push_back(&candidates_[i]);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    return ranked_value(*a) < ranked_value(*b);
  });
  for (const PlanCandidate* candidate : order) {
    if (control.is_cut()) return;
    std::string complaint;
    const std::vector<PlanTrial> variants = laid_out(*candidate, control, complaint);
    if (variants.empty()) continue;
    has_run_ = try_first(variants.front(), false);
    if (has_run_) return;
  }
}

/// Tries the first of all that is priced.
void ModelRanking::try_best(const SearchControl& control, const TryFirst& try_first) {
  if (candidates_.empty() || control.is_cut()) return;
  control.tell({"trying the plan that ranks first", ground_.workload.name});
  std::string complaint;
  const std::vector<PlanTrial> variants = laid_out(candidates_.front(), control, complaint);
  if (!variants.empty()) has_run_ = try_first(variants.front(), true);
}

/// Those that rank first. Where operators have degrees of their own, which the published models do
/// not know, every other one is the next best by their closed forms.
std::vector<const PlanCandidate*> ModelRanking::promising_candidates(std::size_t most) const {
  std::vector<const PlanCandidate*> ranked;
  for (const PlanCandidate& candidate : candidates_) ranked.push_back(&candidate);
  std::vector<const PlanCandidate*> by_degrees = ranked;
  std::erase_if(by_degrees, [](const PlanCandidate* at) { return at->by_degrees == 0; });
  std::stable_sort(by_degrees.begin(), by_degrees.end(),
                   [](const auto* a, const auto* b) { return a->by_degrees > b->by_degrees; });
  std::vector<const PlanCandidate*> chosen;
  std::set<const PlanCandidate*> known;
  for (std::size_t i = 0; i < ranked.size() && chosen.size() < most; ++i) {
    if (known.insert(ranked[i]).second) chosen.push_back(ranked[i]);
    if (i < by_degrees.size() && known.insert(by_degrees[i]).second) {
      chosen.push_back(by_degrees[i]);
    }
  }
  return chosen;
}

/// Lays the best plans out in all variants, which estimates them as PALM does with the wafer's own
/// memory, links and ports, and keeps of each those that promise most.
std::vector<PlanTrial> ModelRanking::estimated(const SearchControl& control) {
  const std::int64_t tiles = ground_.hardware.wafer.width * ground_.hardware.wafer.height;
  const std::size_t most = std::max(job_.top, tiles <= kManyTiles ? kLaidOut : kLaidOutOnLarge);
  const std::vector<const PlanCandidate*> promising = promising_candidates(most);
  const std::size_t count = promising.size();
  control.tell({fmt::format("laying out {} plans", count), ground_.workload.name});
  std::vector<std::vector<PlanTrial>> variants(count);
  std::vector<std::string> complaints(count);
  const SearchControl phase = control.within(ModelPhases::kLaidOut);
  const Clock::duration none{0};
  const auto lay_out_one = [&](std::size_t i) {
    const bool is_needed = i == 0 && !has_run_;
    const Clock::duration step = is_needed ? none : ground_.steps.of(Step::estimate);
    if ((i == 0 ? control : phase).is_cut(step)) {
      was_cut_ = true;
      return;
    }
    variants[i] = laid_out(*promising[i], control, complaints[i]);
  };
  run_counted(count, control, "laid out", ground_.workload.name, lay_out_one);
  std::vector<PlanTrial> all;
  std::string refused;
  for (std::size_t i = 0; i < count; ++i) {
    if (variants[i].empty() && !complaints[i].empty()) {
      ++counts_.infeasible;
      if (refused.empty()) {
        refused = planner::plan_name(promising[i]->plan) + ": " + complaints[i];
      }
    }
    for (PlanTrial& trial : variants[i]) all.push_back(std::move(trial));
  }
  // Where nothing is left it says more than what did not become a candidate.
  if (!refused.empty() && (all.empty() || counts_.why_infeasible.empty())) {
    counts_.why_infeasible = std::move(refused);
  }
  std::stable_sort(all.begin(), all.end(), [&](const PlanTrial& a, const PlanTrial& b) {
    return promised(a) < promised(b);
  });
  return all;
}

double ModelRanking::promised(const PlanTrial& trial) const {
  return objective_of(trial.plan, *trial.trial.promised_per_s, trial.latency_s);
}

double ModelRanking::measured(const PlanTrial& trial) const {
  const Metrics& metrics = trial.trial.measured->metrics;
  return objective_of(trial.plan, metrics.samples_per_s,
                      static_cast<double>(metrics.latency_ps) * kPicosecond);
}

std::string ModelRanking::kind_of(const Plan& plan) const {
  Plan degrees;
  degrees.tensor = plan.tensor;
  degrees.data = plan.data;
  degrees.pipeline = plan.pipeline;
  return planner::plan_name(degrees);
}

}  // namespace waferloom::optimize
