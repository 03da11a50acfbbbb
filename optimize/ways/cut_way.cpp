#include "optimize/ways/cut_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "model/text.h"
#include "optimize/plan.h"
#include "optimize/plans/compute_bound.h"
#include "optimize/plans/plan_ranking.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/plans/search_budget.h"
#include "planner/plan_models.h"

namespace waferloom::optimize {
namespace {

constexpr std::size_t kFastest = 64;      ///< degrees that are priced because they compute fast
constexpr std::size_t kLaidOutOfCut = 4;  ///< plans of the best by each model
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
void add_by_degrees(const PlanGround& ground, const std::vector<Plan>& plans, int threads,
                    const RunControl& control, std::vector<Promise>& promises) {
  std::vector<double> rates(plans.size());
  parallel_tasks(plans.size(), threads, control,
                 [&](std::size_t i) { rates[i] = ground.degrees.samples_per_s(plans[i]); });
  std::vector<std::pair<double, const Plan*>> ranked;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (rates[i] > 0) ranked.emplace_back(rates[i], &plans[i]);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  ranked.resize(std::min(ranked.size(), kLaidOutOfCut));
  for (const auto& [rate, plan] : ranked) {
    for (Plan& variant : planner::plan_variants(*plan, {ground.degrees.choices(*plan)})) {
      promises.push_back({rate, std::move(variant)});
    }
  }
}

/// "TP4 DP2 PP8".
std::string degrees_text(const Plan& plan) {
  const std::string name = planner::plan_name(plan);
  return name.substr(0, name.find(','));
}

bool is_large(const PlanGround& ground) {
  return ground.hardware.wafer.width * ground.hardware.wafer.height > kManyTiles;
}

/// Those that can be laid out with links, ports and memory, the most promising first.
std::vector<PlanTrial> laid_out(const PlanGround& ground, std::vector<Promise> promises,
                                int threads, const RunControl& control) {
  std::vector<PlanTrial> trials(promises.size());
  std::vector<char> can_run(promises.size(), 0);
  parallel_tasks(promises.size(), threads, control, [&](std::size_t i) {
    Plan& plan = trials[i].plan = std::move(promises[i].plan);
    // Enough of a stream to see how fast it flows.
    if (!plan.trains()) plan.micro_batches = std::max(plan.micro_batches, kStream * plan.pipeline);
    can_run[i] = !lay_out(ground, trials[i]) && trials[i].complaint.empty() ? 1 : 0;
  });
  std::vector<PlanTrial> able;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (can_run[i] != 0) able.push_back(std::move(trials[i]));
  }
  std::stable_sort(able.begin(), able.end(), [](const PlanTrial& a, const PlanTrial& b) {
    return *a.trial.promised_per_s > *b.trial.promised_per_s;
  });
  return able;
}

void set_estimated(const PlanGround& ground, const PlanTrial& trial, PlannedWay& way) {
  way.samples_per_s = *trial.trial.promised_per_s;
  way.bottleneck = std::nullopt;
  way.latency_s = 0;
  for (const auto& stage : pipeline_of(ground, trial).services) {
    const sim::Picoseconds both = stage.forward + (trial.plan.trains() ? stage.backward : 0);
    way.latency_s += static_cast<double>(both) * kPicosecond;
  }
  way.note =
      "estimated with links, ports and memory, not simulated, latency without transfers; "
      "bound by " +
      trial.trial.promise;
}

/// The search that `plan` does of a cut.
std::optional<Plan> searched(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                             const RunControl& control, PlannedWay& way) {
  SearchControl search;
  static_cast<RunControl&>(search) = control;
  search.threads = threads;
  PlanFindings found;
  try {
    found = plan_network({}, ground, space, search);
  } catch (const SearchEnded& ended) {
    if (ended.reason() != EndReason::infeasible) throw RunCut(control.cut_reason());
    throw InfeasibleError(ended.what());
  }
  const PlanTrial& best = found.winner().trial;
  const Measured& measured = *best.trial.measured;
  way.samples_per_s = measured.metrics.samples_per_s;
  way.latency_s = static_cast<double>(measured.metrics.latency_ps) * kPicosecond;
  way.bottleneck = measured.bottleneck;
  way.has_all_logits = true;
  way.tiles = best.plan.tiles() * best.plan.pipeline;
  way.how = degrees_text(best.plan);
  way.note = fmt::format("{} plans simulated on the {} network", found.simulated(),
                         sim::network_name(ground.options.network));
  return found.plan;
}

/// Prices all by DFModel; `way` gets the best, the answer has the first few of each model.
std::vector<Promise> priced_promises(const PlanGround& ground, const std::vector<Plan>& plans,
                                     int threads, const RunControl& control, PlannedWay& way) {
  planner::PlanTimer timer(ground.workload, ground.hardware);
  if (!timer.prepare(plans, threads, control)) throw RunCut(control.cut_reason());
  std::vector<Promise> promises;
  for (const Plan& plan : plans) {
    control.end_if_cut();
    const planner::PlanTime time = timer.dfmodel(plan);
    promises.push_back({time.samples_per_s, plan});
    if (time.samples_per_s <= way.samples_per_s) continue;
    way.samples_per_s = time.samples_per_s;
    way.latency_s = time.latency_s;
    way.bottleneck = planner::batch_bottleneck(time.batch);
    way.tiles = plan.tiles() * plan.pipeline;
    way.how = degrees_text(plan);
  }
  way.has_all_logits = true;
  way.is_priced = true;
  way.note = "priced by DFModel, not simulated";
  std::stable_sort(promises.begin(), promises.end(), [](const Promise& a, const Promise& b) {
    return a.samples_per_s > b.samples_per_s;
  });
  promises.resize(std::min(promises.size(), kLaidOutOfCut));
  return promises;
}

}  // namespace

std::optional<Plan> find_cut(const PlanGround& ground, const planner::PlanSpace& space, int threads,
                             const RunControl& control, PlannedWay& way) {
  demand_cuttable(ground.workload, space.base.trains());
  if (!is_large(ground)) {
    return searched(ground, space, threads, control, way);
  }
  const std::vector<Plan> plans = fitting(ground, space, control, way.lacks);
  if (plans.empty()) {
    if (way.lacks.empty()) way.lacks = "no degrees divide the network";
    return std::nullopt;
  }
  way.lacks.clear();
  std::vector<Promise> promises = priced_promises(ground, plans, threads, control, way);
  try {
    add_by_degrees(ground, plans, threads, control, promises);
    const std::vector<PlanTrial> able = laid_out(ground, std::move(promises), threads, control);
    if (!able.empty()) {
      way.how = degrees_text(able.front().plan);
      way.tiles = able.front().plan.tiles() * able.front().plan.pipeline;
      set_estimated(ground, able.front(), way);
    }
  } catch (const RunCut&) {
    way.note += ", nor laid out for want of time";
  }
  return std::nullopt;
}

}  // namespace waferloom::optimize
