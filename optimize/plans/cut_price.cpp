#include "optimize/plans/cut_price.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "optimize/plans/compute_bound.h"
#include "optimize/plans/plan_ranking.h"
#include "optimize/plans/plan_trial.h"
#include "planner/plan_models.h"

namespace waferloom::optimize {
namespace {

constexpr std::size_t kFastest = 64;  ///< degrees that are priced because they compute fast
constexpr std::size_t kLaidOut = 4;   ///< plans whose operators have degrees of their own
constexpr std::size_t kSpread = 64;   ///< and of the others, where memory and links may bind less

/// Degrees that are worth a price. The fitter looks at every micro-batch of each.
std::vector<Plan> chosen_degrees(const PlanGround& ground, const planner::PlanSpace& space,
                                 const RunControl& control) {
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
                          const RunControl& control, std::string& why) {
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

/// Where operators have degrees of their own, which DFModel does not know: the best estimate of the
/// plans that promise most by their closed forms, laid out with links, ports and memory.
void try_degrees(const PlanGround& ground, const std::vector<Plan>& plans,
                 const RunControl& control, planner::WaferWay& way) {
  std::vector<std::pair<double, const Plan*>> ranked;
  for (const Plan& plan : plans) {
    control.end_if_cut();
    const double rate = ground.degrees.samples_per_s(plan);
    if (rate > 0) ranked.emplace_back(rate, &plan);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), kLaidOut));
  for (const auto& [rate, plan] : ranked) {
    for (Plan& variant : planner::plan_variants(*plan, {ground.degrees.choices(*plan)})) {
      // Planned routes are not known yet, and those of a rule load links that the estimate knows.
      if (variant.routing == Routing::planned) variant.routing = Routing::xy;
      control.end_if_cut();
      PlanTrial trial{{}, std::move(variant), {}};
      if (lay_out(ground, trial) || !trial.complaint.empty()) continue;
      if (*trial.trial.promised_per_s <= way.samples_per_s) continue;
      way.samples_per_s = *trial.trial.promised_per_s;
      way.latency_s = 0;
      for (const auto& stage : pipeline_of(ground, trial).services) {
        way.latency_s += static_cast<double>(stage.forward) * kPicosecond;
      }
      way.bottleneck = std::nullopt;
      way.tiles = trial.plan.tiles() * trial.plan.pipeline;
      way.how = planner::plan_name(trial.plan);
      way.note =
          "estimated with links, ports and memory, not simulated, latency without transfers; bound "
          "by " +
          trial.trial.promise;
    }
  }
}

}  // namespace

planner::WaferWay price_cut(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                            const RunControl& control) {
  demand_cuttable(ground.workload, space.base.trains());
  planner::WaferWay way{"cut"};
  const std::vector<Plan> plans = fitting(ground, space, control, way.lacks);
  if (plans.empty()) {
    if (way.lacks.empty()) way.lacks = "no degrees divide the network";
    return way;
  }
  way.lacks.clear();
  planner::PlanTimer timer(ground.workload, ground.hardware);
  if (!timer.prepare(plans, threads, control)) throw RunCut(control.cut_reason());
  for (const Plan& plan : plans) {
    control.end_if_cut();
    const planner::PlanTime time = timer.dfmodel(plan);
    if (time.samples_per_s <= way.samples_per_s) continue;
    way.samples_per_s = time.samples_per_s;
    way.latency_s = time.latency_s;
    way.bottleneck = planner::batch_bottleneck(time.batch);
    way.tiles = plan.tiles() * plan.pipeline;
    way.how = planner::plan_name(plan);
  }
  way.has_all_logits = true;
  way.note = "priced by DFModel, not simulated";
  try_degrees(ground, plans, control, way);
  way.how = way.how.substr(0, way.how.find(','));
  return way;
}

}  // namespace waferloom::optimize
