#include "optimize/plans/large_mesh.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "optimize/plans/compute_bound.h"
#include "optimize/plans/search_budget.h"

// Problem: an estimate prices the exchanges of all tiles, of which large meshes have a million.
// Idea: rank degrees by how fast they compute, price the first and a spread of the others by models
// in closed form, and estimate the few best of each model alone. Source: memory as in Centimani,
// time as in DFModel (docs/planner.md). Cost: a mapping of kernels for each kind of operator and
// tensor degree.
namespace waferloom::optimize {
namespace {

constexpr std::size_t kFastest = 64;  ///< degrees that are priced because they compute fast
constexpr std::size_t kSpread = 64;   ///< and of the others, where memory and links may bind less

/// Degrees that are worth a price. The fitter looks at every micro-batch of each.
std::vector<Plan> chosen_degrees(const PlanGround& ground, const planner::PlanSpace& space,
                                 const SearchControl& control, PromisingPlans& found) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Plan> known;
  for (Plan& plan : planner::plan_degrees(space)) {
    const std::tuple key{plan.pipeline, plan.data, plan.tensor};
    known.try_emplace(key, std::move(plan));
    ++found.with_micro_batches;
  }
  found.degrees = known.size();
  std::vector<const Plan*> all;
  for (const auto& [key, plan] : known) all.push_back(&plan);
  ComputeBound bound(ground, space);
  bound.prepare(all, control.threads, control);
  std::vector<std::pair<double, const Plan*>> degrees;
  for (const Plan* plan : all) {
    control.end_if_cut();
    degrees.emplace_back(bound.samples_per_s(*plan), plan);
  }
  std::stable_sort(degrees.begin(), degrees.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Plan> plans;
  const std::size_t fastest = std::min(kFastest, degrees.size());
  const std::size_t step = std::max<std::size_t>(1, (degrees.size() - fastest) / kSpread);
  for (std::size_t i = 0; i < degrees.size(); i += i < fastest ? 1 : step) {
    plans.push_back(*degrees[i].second);
  }
  return plans;
}

/// Of these, all micro-batches that fit, where replicas divide the optimizer's states or, if none
/// does so, all states.
std::vector<Plan> fitting(const PlanGround& ground, const planner::PlanSpace& space,
                          const SearchControl& control, PromisingPlans& promising) {
  planner::PlanFitter fitter(ground.workload, ground.hardware);
  std::vector<Plan> plans;
  for (Plan plan : chosen_degrees(ground, space, control, promising)) {
    control.end_if_cut();
    if (plan.trains() && plan.data > 1) plan.zero = 1;
    planner::MicroBatchFit found = fitter.fit(plan, space.batch);
    if (!found.choice.best && plan.zero == 1) {
      plan.zero = 3;
      found = fitter.fit(plan, space.batch);
    }
    const auto& batches = found.choice.candidates;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (batches[i].lacks) continue;
      plan.micro_batch = batches[i].batch;
      plan.micro_batches = space.batch / plan.data / plan.micro_batch;
      plan.recompute = found.recomputed[i] ? Recompute::full : Recompute::none;
      plans.push_back(plan);
    }
    if (!found.choice.best) {
      promising.why_none = planner::plan_name(plan) + ": " + found.choice.why_none(found.machine);
    }
  }
  return plans;
}

/// Places of those with a rate, the highest first, of equals the first.
std::vector<std::size_t> ranked(const std::vector<double>& rates) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rates[a] > rates[b]; });
  return order;
}

}  // namespace

bool is_large(const Hardware& hardware) {
  return hardware.wafer.width * hardware.wafer.height > kManyTiles;
}

PromisingPlans promising_plans(const PlanGround& ground, const planner::PlanSpace& space,
                               planner::PlanTimer& timer, RankingModel model,
                               const SearchControl& control) {
  PromisingPlans found;
  const std::vector<Plan> plans = fitting(ground, space, control, found);
  std::vector<double> by_model(plans.size());
  std::vector<double> by_degrees(plans.size());
  if (!timer.prepare(plans, control.threads, control)) throw RunCut(control.cut_reason());
  parallel_tasks(plans.size(), control.threads, control, [&](std::size_t i) {
    std::optional<planner::PlanTime> time = timer.dfmodel(plans[i]);
    if (model == RankingModel::amped) time = timer.amped(plans[i]);
    if (time) by_model[i] = time->samples_per_s;
    if (model == RankingModel::palm) by_degrees[i] = ground.degrees.samples_per_s(plans[i]);
  });
  control.end_if_cut();
  const std::vector<std::size_t> orders[] = {ranked(by_model), ranked(by_degrees)};
  std::set<std::size_t> known;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const std::vector<std::size_t>& order : orders) {
      if (i < order.size() && known.insert(order[i]).second) found.plans.push_back(plans[order[i]]);
    }
  }
  return found;
}

}  // namespace waferloom::optimize
