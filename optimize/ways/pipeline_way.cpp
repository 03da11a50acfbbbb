#include "optimize/ways/pipeline_way.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "model/mesh.h"
#include "optimize/placer_run.h"
#include "optimize/plans/large_mesh.h"
#include "optimize/plans/plan_trial.h"
#include "optimize/simulation_runs.h"

// Problem: a pipeline is planned by the area of its stages, and rectangles that fill a small mesh
// nearly whole cannot always be packed.
// Idea: let the placer try. Where it finds no room, plan again on fewer tiles; before that is
// placed, other numbers of replicas on as many tiles as before, as long as they promise more.
// Source: ours. Cost: that of a plan and a placement for each share of the tiles that is tried, and
// on meshes that are not large of a plan for each number of replicas and up to kTries placements.
namespace waferloom::optimize {
namespace {

constexpr double kLessFill = 0.04;
constexpr double kLeastFill = 0.5;
constexpr std::size_t kTries = 6;  ///< of other numbers of replicas on the same share of the tiles

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

/// A plan, and what it was asked for with.
struct AskedPipeline {
  planner::PipelineOptions options;
  planner::WaferPipeline pipeline;
};

/// Plans of other numbers of replicas that promise more than a plan on fewer tiles, the best first.
/// None on large meshes, where each takes long and nearly all can be packed, where the number was
/// asked for, and in training, where a batch is simulated up to 4 % faster than its plan says, as
/// much as a step of the share.
std::vector<AskedPipeline> other_replicas(planner::PipelinePlanner& planner,
                                          const Hardware& hardware, const AskedPipeline& unplaced,
                                          double more_than, const SearchControl& control) {
  std::vector<AskedPipeline> others;
  const planner::PipelineOptions& asked = unplaced.options;
  if (is_large(hardware) || asked.replicas > 0 || asked.trains()) return others;
  for (std::int64_t replicas = 1; replicas <= asked.kernels; ++replicas) {
    if (replicas == unplaced.pipeline.replicas) continue;
    planner::PipelineOptions options = asked;
    options.replicas = replicas;
    try {
      planner::WaferPipeline pipeline = planner.plan(options, control);
      if (pipeline.samples_per_cycle() <= more_than) continue;
      others.push_back({asked, std::move(pipeline)});
    } catch (const InfeasibleError&) {
      break;  // nor would more replicas fit
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const AskedPipeline& a, const AskedPipeline& b) {
                     return a.pipeline.samples_per_cycle() > b.pipeline.samples_per_cycle();
                   });
  if (others.size() > kTries) others.resize(kTries);
  return others;
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
  AskedPipeline unplaced{wanted.options, wanted.pipeline};
  while (!first.placement) {
    AskedPipeline smaller{unplaced.options, {}};
    smaller.options.fill -= kLessFill;
    double fewer_tiles = 0;  // samples a cycle
    bool has_room = smaller.options.fill >= kLeastFill;
    if (has_room) {
      try {
        smaller.pipeline = planner.plan(smaller.options, control);
        fewer_tiles = smaller.pipeline.samples_per_cycle();
      } catch (const InfeasibleError&) {
        has_room = false;  // nor would the weights have room on still fewer tiles
      }
    }
    for (AskedPipeline& other :
         other_replicas(planner, wanted.hardware, unplaced, fewer_tiles, control)) {
      PlacedPipeline found = laid(other.options, std::move(other.pipeline));
      if (found.placement) return found;
    }
    if (!has_room) break;
    PlacedPipeline found = laid(smaller.options, smaller.pipeline);
    if (found.placement) return found;
    unplaced = std::move(smaller);
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
