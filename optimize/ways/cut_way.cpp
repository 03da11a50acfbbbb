#include "optimize/ways/cut_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "model/text.h"
#include "optimize/plans/compute_bound.h"
#include "optimize/plans/plan_ranking.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/plans/search_budget.h"
#include "planner/plan_models.h"

namespace waferloom::optimize {
namespace {

constexpr std::size_t kFastest = 64;     ///< degrees that are priced because they compute fast
constexpr std::size_t kBestOfModel = 4;  ///< plans of the best by each model
constexpr std::size_t kSimulatedOfCut = 4;
constexpr std::size_t kSpread = 64;  ///< and of the others, where memory and links may bind less

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

/// A plan that promises, by whichever model, and what it promises.
struct Promise {
  double samples_per_s = 0;
  Plan plan;
};

/// Adds the best by their closed forms, where operators have degrees of their own, which DFModel
/// does not know.
void add_by_degrees(const PlanGround& ground, const std::vector<Plan>& plans,
                    const RunControl& control, std::vector<Promise>& promises) {
  std::vector<std::pair<double, const Plan*>> ranked;
  for (const Plan& plan : plans) {
    control.end_if_cut();
    const double rate = ground.degrees.samples_per_s(plan);
    if (rate > 0) ranked.emplace_back(rate, &plan);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), kBestOfModel));
  for (const auto& [rate, plan] : ranked) {
    for (Plan& variant : planner::plan_variants(*plan, {ground.degrees.choices(*plan)})) {
      promises.push_back({rate, std::move(variant)});
    }
  }
}

/// Of these, laid out with links, ports and memory, the one that promises most then is simulated,
/// and the next, until nothing promises more than was measured. `way` gets the best.
void try_promises(const PlanGround& ground, std::vector<Promise> promises, double to_beat,
                  int threads, const RunControl& control, PlannedWay& way) {
  std::vector<PlanTrial> trials(promises.size());
  std::vector<char> can_run(promises.size(), 0);
  parallel_tasks(promises.size(), threads, control, [&](std::size_t i) {
    trials[i].plan = std::move(promises[i].plan);
    // Enough of a stream to see how fast it flows.
    Plan& plan = trials[i].plan;
    if (!plan.trains()) plan.micro_batches = std::max(plan.micro_batches, kStream * plan.pipeline);
    can_run[i] = !lay_out(ground, trials[i]) && trials[i].complaint.empty() ? 1 : 0;
  });
  std::vector<PlanTrial*> order;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (can_run[i] != 0) order.push_back(&trials[i]);
  }
  std::stable_sort(order.begin(), order.end(), [](const PlanTrial* a, const PlanTrial* b) {
    return *a->trial.promised_per_s > *b->trial.promised_per_s;
  });
  order.resize(std::min(order.size(), kSimulatedOfCut));
  const PlanTrial* first = order.empty() ? nullptr : order.front();
  const Wafer& mesh = ground.hardware.wafer;
  if (mesh.width * mesh.height > kManyTiles) {
    std::erase_if(order,
                  [&](const PlanTrial* trial) { return *trial->trial.promised_per_s <= to_beat; });
  }
  SearchControl search;
  static_cast<RunControl&>(search) = control;
  parallel_tasks(order.size(), threads, [&](std::size_t i) {
    simulate_trial(ground, search, *order[i], kRankedWork / kPlansOfWork);
  });
  const PlanTrial* best = nullptr;
  for (const PlanTrial* trial : order) {
    if (!trial->trial.measured || trial->trial.verdict != Verdict::slower) continue;
    const double rate = trial->trial.measured->metrics.samples_per_s;
    if (best == nullptr || rate > best->trial.measured->metrics.samples_per_s) best = trial;
  }
  const PlanTrial* shown = best != nullptr ? best : first;
  if (shown == nullptr) return;
  const double priced = way.samples_per_s;
  way.how = planner::plan_name(shown->plan);
  way.tiles = shown->plan.tiles() * shown->plan.pipeline;
  if (best == nullptr) {
    way.samples_per_s = *shown->trial.promised_per_s;
    way.bottleneck = std::nullopt;
    way.latency_s = 0;
    for (const auto& stage : pipeline_of(ground, *shown).services) {
      way.latency_s += static_cast<double>(stage.forward) * kPicosecond;
    }
    way.note =
        "estimated with links, ports and memory, not simulated, latency without transfers; "
        "bound by " +
        shown->trial.promise;
    return;
  }
  way.is_priced = false;
  const Measured& measured = *best->trial.measured;
  way.samples_per_s = measured.metrics.samples_per_s;
  way.latency_s = static_cast<double>(measured.metrics.latency_ps) * kPicosecond;
  way.bottleneck = measured.bottleneck;
  way.note = fmt::format("simulated on the {} network; DFModel's best is {} samples/s",
                         sim::network_name(ground.options.network), significant_text(priced));
}

}  // namespace

void find_cut(const PlanGround& ground, const planner::PlanSpace& space, double to_beat,
              int threads, const RunControl& control, PlannedWay& way) {
  demand_cuttable(ground.workload, space.base.trains());
  const std::vector<Plan> plans = fitting(ground, space, control, way.lacks);
  if (plans.empty()) {
    if (way.lacks.empty()) way.lacks = "no degrees divide the network";
    return;
  }
  way.lacks.clear();
  planner::PlanTimer timer(ground.workload, ground.hardware);
  if (!timer.prepare(plans, threads, control)) throw RunCut(control.cut_reason());
  std::vector<Promise> promises;
  std::vector<planner::PlanTime> times;
  for (const Plan& plan : plans) {
    control.end_if_cut();
    times.push_back(timer.dfmodel(plan));
    promises.push_back({times.back().samples_per_s, plan});
  }
  const auto best =
      static_cast<std::size_t>(std::max_element(promises.begin(), promises.end(),
                                                [](const Promise& a, const Promise& b) {
                                                  return a.samples_per_s < b.samples_per_s;
                                                }) -
                               promises.begin());
  way.samples_per_s = times[best].samples_per_s;
  way.latency_s = times[best].latency_s;
  way.bottleneck = planner::batch_bottleneck(times[best].batch);
  way.tiles = plans[best].tiles() * plans[best].pipeline;
  way.how = planner::plan_name(plans[best]);
  way.has_all_logits = true;
  way.is_priced = true;
  way.note = "priced by DFModel, not simulated";
  std::stable_sort(promises.begin(), promises.end(), [](const Promise& a, const Promise& b) {
    return a.samples_per_s > b.samples_per_s;
  });
  promises.resize(std::min(promises.size(), kBestOfModel));
  try {
    add_by_degrees(ground, plans, control, promises);
    try_promises(ground, std::move(promises), to_beat, threads, control, way);
  } catch (const RunCut&) {
    way.note += ", nor laid out for want of time";
  }
  way.how = way.how.substr(0, way.how.find(','));
}

}  // namespace waferloom::optimize
