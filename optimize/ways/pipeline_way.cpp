#include "optimize/ways/pipeline_way.h"

#include <fmt/format.h>

#include <utility>

#include "model/errors.h"
#include "model/mesh.h"
#include "optimize/placer_run.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/simulation_runs.h"

// Problem: a pipeline is planned by the area of its stages, and rectangles that fill a small mesh
// nearly whole cannot always be packed.
// Idea: let the placer try. Where it finds no room, plan again on fewer tiles. Source: ours. Cost:
// that of a plan and a placement for each share of the tiles that is tried.
namespace waferloom::optimize {
namespace {

constexpr double kLessFill = 0.04;
constexpr double kLeastFill = 0.5;

std::optional<Placement> placed(const Workload& workload, const Problem& problem,
                                const SearchControl& control) {
  const PlacerRun run{problem, workload.name, "auto", {}, nullptr};
  PlacerOutcome outcome = run_placer(run, control);
  if (outcome.best) return std::move(outcome.best->placement);
  control.end_if_cut();
  if (control.effort >= kPlacingEffort) return std::nullopt;
  SearchControl more = control;
  more.effort = kPlacingEffort;
  return placed(workload, problem, more);
}

}  // namespace

PlacedPipeline place_wafer_pipeline(planner::PipelinePlanner& planner,
                                    const PipelineToPlace& wanted, const SearchControl& control) {
  const auto laid = [&](const planner::PipelineOptions& options, planner::WaferPipeline pipeline) {
    PlacedPipeline result{options, std::move(pipeline), wanted.hardware, {}, {}};
    Problem problem = planner::pipeline_case(wanted.workload, wanted.hardware, result.pipeline);
    // What stages keep off carries nothing.
    add_dead_tiles(result.hardware, problem.wafer().dead);
    result.placement = placed(wanted.workload, problem, control);
    result.problem.emplace(std::move(problem));
    return result;
  };
  PlacedPipeline first = laid(wanted.options, wanted.pipeline);
  planner::PipelineOptions options = wanted.options;
  while (!first.placement && (options.fill -= kLessFill) >= kLeastFill) {
    try {
      PlacedPipeline smaller = laid(options, planner.plan(options, control));
      if (smaller.placement) return smaller;
    } catch (const InfeasibleError&) {
      break;  // nor would the weights have room on still fewer tiles
    }
  }
  return first;
}

void simulate_pipeline_way(const WaysJob& job, const PlacedPipeline& placed,
                           const SearchControl& control, PlannedWay& way) {
  const Problem& problem = placed.problem.value();
  sim::SimulateOptions options = job.options;
  options.routing = Routing::planned;
  options.control = static_cast<const RunControl&>(control);
  CaseSimulation run{problem, placed.placement.value(), placed.hardware, false, options};
  const std::optional<PipelineBatch> batch = batch_of(placed.pipeline, placed.hardware);
  if (batch) set_batch(*batch, run);
  try {
    const sim::ThroughputReport found = simulate_case(run, control);
    way.samples_per_s = found.samples_per_s * static_cast<double>(problem.replicas());
    way.latency_s = static_cast<double>(found.first_sample) * kPicosecond;
    way.bottleneck = found.bottleneck_of_each(problem.replicas());
    way.note = fmt::format("planned, placed and simulated on the {} network",
                           sim::network_name(options.network));
  } catch (const InfeasibleError& error) {
    way.note = fmt::format("planned and placed; not simulated: {}", error.what());
  }
}

}  // namespace waferloom::optimize
