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

/// Nothing where it does not fit.
std::optional<planner::WaferPipeline> plan_if_it_fits(planner::PipelinePlanner& planner,
                                                      const planner::PipelineOptions& options,
                                                      const SearchControl& control) {
  try {
    return planner.plan(options, control);
  } catch (const InfeasibleError&) {
    return std::nullopt;
  }
}

/// Whether a pipeline that cannot be packed is sought with other numbers of replicas: not where the
/// number was asked for; not on large meshes, where each plan takes long and nearly all can be
/// packed; not in training, where a batch is simulated up to 4 % faster than its plan says, as much
/// as a step of the share.
bool may_have_other_replicas(const Hardware& hardware, const planner::PipelineOptions& options) {
  return options.replicas == 0 && !is_large(hardware) && !options.trains();
}

/// Plans of any number of replicas but one that promise more samples a cycle, the best first.
std::vector<planner::WaferPipeline> other_replicas(planner::PipelinePlanner& planner,
                                                   planner::PipelineOptions options,
                                                   std::int64_t but, double more_than,
                                                   const SearchControl& control) {
  std::vector<planner::WaferPipeline> others;
  for (std::int64_t replicas = 1; replicas <= options.kernels; ++replicas) {
    if (replicas == but) continue;
    options.replicas = replicas;
    std::optional<planner::WaferPipeline> other = plan_if_it_fits(planner, options, control);
    if (!other) break;  // nor would more replicas fit
    if (other->samples_per_cycle() > more_than) others.push_back(std::move(*other));
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) {
    return a.samples_per_cycle() > b.samples_per_cycle();
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
  planner::PipelineOptions options = wanted.options;
  std::int64_t replicas = wanted.pipeline.replicas;
  while (!first.placement) {
    planner::PipelineOptions fewer_tiles = options;
    fewer_tiles.fill -= kLessFill;
    std::optional<planner::WaferPipeline> smaller;
    if (fewer_tiles.fill >= kLeastFill) smaller = plan_if_it_fits(planner, fewer_tiles, control);
    if (may_have_other_replicas(wanted.hardware, options)) {
      const double promised = smaller ? smaller->samples_per_cycle() : 0;
      for (planner::WaferPipeline& other :
           other_replicas(planner, options, replicas, promised, control)) {
        PlacedPipeline found = laid(options, std::move(other));
        if (found.placement) return found;
      }
    }
    if (!smaller) break;  // nor would the weights have room on still fewer tiles
    replicas = smaller->replicas;
    options = fewer_tiles;
    PlacedPipeline found = laid(options, std::move(*smaller));
    if (found.placement) return found;
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
  run.threads = control.threads;
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
