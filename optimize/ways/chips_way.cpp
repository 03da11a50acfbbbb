#include "optimize/ways/chips_way.h"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/text.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/plans/search_budget.h"
#include "optimize/ways/cut_way.h"
#include "planner/serving.h"

// Problem: models of chips know what joins them in closed form, and no transfer waits for another.
// Idea: they choose the degrees, and where the machine has a fabric the plan runs there, as any cut
// of a network does. Source: DFModel, section VI; ours. Cost: one simulation.
namespace waferloom::optimize {

std::string lacks_of_chips(const WaysJob& job) {
  if (job.machine.chips.dimensions.empty()) return job.machine.name + " is one chip";
  const Chip& chip = job.machine.chips.chip;
  const auto peak = chip.peak_flop_per_s.find(job.data_type);
  const bool is_its = peak == chip.peak_flop_per_s.end()
                          ? job.data_type == chip.type()
                          : static_cast<double>(peak->second) == chip.flop_per_s;
  return is_its ? "" : "chips are priced with " + chip.type() + ", not with " + job.data_type;
}

/// Those that share layers: all requests go through them together, nothing overlaps.
void plan_served_chips(const WaysJob& job, PlannedWay& way) {
  way.tiles = job.machine.chips.chips();
  constexpr double kBitsOfByte = 8;
  const System& system = chips_of(job.machine);
  const planner::ServedModel model = planner::served_model(job.workload);
  planner::ServingOptions options;
  options.prompt = job.serving.prompt;
  options.context = job.serving.prompt + job.serving.output / 2;
  options.samples = job.serving.requests;
  options.operand_bytes = static_cast<double>(system.chip.matrix_bits) / kBitsOfByte;
  const auto whole_s = [&](const planner::ServingPoint& point) {
    return point.ttft_s + as_double(job.serving.output) * point.tpot_s;
  };
  const planner::ServingPoint* best = nullptr;
  const std::vector<planner::ServingPoint> points = planner::serving_points(model, system, options);
  for (const planner::ServingPoint& point : points) {
    if (point.lacks.empty() && (best == nullptr || whole_s(point) < whole_s(*best))) best = &point;
  }
  if (best == nullptr) {
    throw InfeasibleError(points.empty() ? "its heads and layers cannot be shared by all chips"
                                         : points.front().lacks);
  }
  way.how = fmt::format("TP{} PP{}, {}", best->tensor, best->pipeline,
                        counted_text(job.serving.requests, "request"));
  way.samples_per_s = as_double(job.serving.requests) / whole_s(*best);
  way.latency_s = best->ttft_s;
  way.is_priced = true;
  way.note = "priced by DFModel's model of serving, not simulated";
  // What follows one another in a request: its prompt, and all of its tokens.
  const auto part = [&](double planner::ServingTime::*time) {
    const double layers = best->prefill.*time + as_double(job.serving.output) * best->decode.*time;
    const double ends =
        best->prefill_ends.*time + as_double(job.serving.output) * best->decode_ends.*time;
    return (as_double(model.layers) * layers + ends) / as_double(job.serving.requests);
  };
  using Time = planner::ServingTime;
  way.bottleneck =
      longest_part_of({{"compute", "products", part(&Time::compute_s)},
                       {"memory", "weights and caches", part(&Time::memory_s)},
                       {"network", "bytes of all-reduces", part(&Time::serialization_s)},
                       {"latency", "steps of all-reduces", part(&Time::latency_s)}},
                      "a request");
}

planner::SystemPlans find_chips(const WaysJob& job, const RunControl& control, PlannedWay& way) {
  way.tiles = job.machine.chips.chips();
  planner::SystemPlanOptions options;
  options.threads = job.threads;
  options.control = control;
  planner::SystemPlans chips =
      planner::plans_for_system(job.workload, job.batch, job.trains(), chips_of(job.machine),
                                options, planner::Objective::throughput);
  control.end_if_cut();
  const planner::SystemPlan& best = chips.plans.front();
  way.how = fmt::format("TP{} PP{} DP{} b{}", best.tensor, best.pipeline, best.data,
                        significant_text(best.choice.micro_batch));
  way.samples_per_s = as_double(job.batch) / best.total_s;
  way.latency_s = best.steady_s / best.micro_batches * as_double(best.pipeline);
  way.bottleneck = planner::system_bottleneck(best);
  if (way.bottleneck) {
    way.bottleneck->divide(as_double(job.batch));
    way.bottleneck->of = "a sample";
  }
  way.share_of_peak = best.utilisation;  // of the layers that it counts
  way.memory_bytes = as_double(way.tiles) * (best.state_bytes + best.activation_bytes);
  way.is_priced = true;
  const bool is_stack = std::holds_alternative<planner::TransformerJob>(chips.network);
  way.note = is_stack ? "layers alone, priced by DFModel, not simulated"
                      : "priced by DFModel, not simulated";
  return chips;
}

Plan chips_plan(const Workload& workload, const Machine& machine, const planner::SystemPlans& found,
                const std::string& data_type) {
  Plan plan = planner::written_plan(found.plans.front(), found.network, chips_of(machine));
  if (!data_type.empty()) plan.data_type = data_type;
  set_stream(plan);
  if (planner::has_fabric_of_chips(machine)) plan.made_for = made_for(workload, *machine.fabric);
  return plan;
}

void simulate_chips_way(const WaysJob& job, const planner::SystemPlans& chips,
                        const SearchControl& control, PlannedWay& way) {
  const PlanGround ground{job.workload, *job.machine.fabric, job.options};
  PlanTrial trial;
  trial.plan = chips_plan(job.workload, job.machine, chips, job.data_type);
  std::string lacks = lay_out(ground, trial).value_or(trial.complaint);
  if (lacks.empty()) {
    route_trial(ground, control, trial);
    TrialRun run;
    run.most_work = kPlanWork;
    simulate_trial(ground, control, trial, run);
    if (!trial.run) control.end_if_cut();
    const bool is_too_much = trial.trial.verdict == Verdict::outranked;
    lacks = is_too_much ? "that is more work than a plan of chips is given" : trial.trial.reason;
  }
  if (!lacks.empty()) {
    way.note += ": " + lacks;
    return;
  }
  way.note =
      fmt::format("DFModel's plan ({} samples/s by its model), simulated on the {} network",
                  significant_text(way.samples_per_s), sim::network_name(ground.options.network));
  set_measured(trial, way);
  way.share_of_peak = 0;  // of its samples, from now on
}

}  // namespace waferloom::optimize
