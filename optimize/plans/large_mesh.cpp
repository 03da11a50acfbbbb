#include "optimize/plans/large_mesh.h"

#include <algorithm>
#include <map>
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
constexpr std::size_t kOfEachModel = 4;

/// Degrees that are worth a price. The fitter looks at every micro-batch of each.
std::vector<Plan> chosen_degrees(const PlanGround& ground, const planner::PlanSpace& space,
                                 const SearchControl& control) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Plan> known;
  for (const Plan& plan : planner::plan_degrees(space)) {
    known.emplace(std::tuple{plan.pipeline, plan.data, plan.tensor}, plan);
  }
  ComputeBound bound(ground, space);
  std::vector<std::pair<double, Plan>> degrees;
  for (const auto& [key, plan] : known) {
    control.end_if_cut();
    degrees.emplace_back(bound.samples_per_s(plan), plan);
  }
  std::stable_sort(degrees.begin(), degrees.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Plan> plans;
  const std::size_t fastest = std::min(kFastest, degrees.size());
  const std::size_t step = std::max<std::size_t>(1, (degrees.size() - fastest) / kSpread);
  for (std::size_t i = 0; i < degrees.size(); i += i < fastest ? 1 : step) {
    plans.push_back(std::move(degrees[i].second));
  }
  return plans;
}

/// Of these, all micro-batches that fit. `why` gets an example of degrees that do not.
std::vector<Plan> fitting(const PlanGround& ground, const planner::PlanSpace& space,
                          const SearchControl& control, std::string& why) {
  planner::PlanFitter fitter(ground.workload, ground.hardware);
  std::vector<Plan> plans;
  for (Plan plan : chosen_degrees(ground, space, control)) {
    control.end_if_cut();
    if (plan.trains() && plan.data > 1) plan.zero = 1;
    const planner::MicroBatchFit found = fitter.fit(plan, space.batch);
    const auto& batches = found.choice.candidates;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (batches[i].lacks) continue;
      plan.micro_batch = batches[i].batch;
      plan.micro_batches = space.batch / plan.data / plan.micro_batch;
      plan.recompute = found.recomputed[i] ? Recompute::full : Recompute::none;
      plans.push_back(plan);
    }
    if (!found.choice.best) {
      why = planner::plan_name(plan) + ": " + found.choice.why_none(found.machine);
    }
  }
  return plans;
}

/// Those of the highest rates, of equals the first.
void add_best(const std::vector<Plan>& plans, const std::vector<double>& rates,
              std::vector<Plan>& best) {
  std::vector<std::pair<double, const Plan*>> ranked;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (rates[i] > 0) ranked.emplace_back(rates[i], &plans[i]);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(ranked.size(), kOfEachModel); ++i) {
    best.push_back(*ranked[i].second);
  }
}

}  // namespace

bool is_large(const Hardware& hardware) {
  return hardware.wafer.width * hardware.wafer.height > kManyTiles;
}

std::vector<Plan> promising_plans(const PlanGround& ground, const planner::PlanSpace& space,
                                  planner::PlanTimer& timer, const SearchControl& control,
                                  std::string& why) {
  const std::vector<Plan> plans = fitting(ground, space, control, why);
  std::vector<double> dfmodel(plans.size());
  std::vector<double> by_degrees(plans.size());
  if (!timer.prepare(plans, control.threads, control)) throw RunCut(control.cut_reason());
  parallel_tasks(plans.size(), control.threads, control, [&](std::size_t i) {
    dfmodel[i] = timer.dfmodel(plans[i]).samples_per_s;
    by_degrees[i] = ground.degrees.samples_per_s(plans[i]);
  });
  control.end_if_cut();
  std::vector<Plan> best;
  add_best(plans, dfmodel, best);
  add_best(plans, by_degrees, best);
  return best;
}

}  // namespace waferloom::optimize
