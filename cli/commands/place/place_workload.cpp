#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/place/place_job.h"
#include "cli/files/input_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/workload_file.h"
#include "cli/options/island_options.h"
#include "model/errors.h"
#include "model/plan.h"
#include "sim/plan_pipeline.h"

namespace waferloom::cli {
namespace {

std::string placed_text(const Problem& problem, const Placement& placement,
                        const Hardware& hardware) {
  StagePlacement placed{{}, hardware.name};
  const std::vector<Rectangle> tiles = rectangles(problem, placement);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    placed.stages.push_back({problem.kernels()[i].name, tiles[i], placement.kernels[i].rotated});
  }
  return stage_placement_text(placed);
}

/// Stages where a placement file has them, as far as they have one of their shapes there.
PartialPlacement placed_start(const Problem& problem, const std::string& path,
                              const CommonOptions& common) {
  PartialPlacement start;
  start.kernels.resize(problem.kernel_count());
  bool any = false;
  const StagePlacement placed = read_stage_placement(read_input(path, common), source_name(path));
  for (const PlacedStage& stage : placed.stages) {
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      if (problem.kernels()[i].name != stage.name) continue;
      const auto& options = shape_options(problem.kernel(i));
      for (std::size_t at = 0; at < options.size(); ++at) {
        const Extent shape{options[at].width, options[at].height};
        const bool upright = shape == Extent{stage.tiles.width, stage.tiles.height};
        const bool turned = shape == Extent{stage.tiles.height, stage.tiles.width};
        if (!upright && !turned) continue;
        start.kernels[i] = PlacedKernel{option_execution(static_cast<std::int64_t>(at) + 1),
                                        stage.tiles.x, stage.tiles.y, !upright};
        any = true;
        break;
      }
    }
  }
  if (!any) {
    throw InputError(source_name(path), kWholeSource,
                     "expected stages of this plan in one of their shapes, found none");
  }
  return start;
}

}  // namespace

int place_workload(const PlaceRequest& request, const PlaceOutputs& outputs) {
  const CommonOptions& common = request.common;
  const std::string& name = request.files.graph;
  const Workload workload = read_workload_named(name, "CASE", common);
  const PlanFile file = read_plan_file(request.plan.value(), common);
  const Hardware hardware = read_stage_hardware(request.hardware, request.files.wafer, common);
  const Warnings warnings(common);
  const sim::PlanStages stages = blaming(
      file, [&] { return sim::plan_stages(workload, file.plan, hardware, request.memory_model); });
  const Problem wanted = constrained_stages(stages.problem, request.files.constraints, common);
  std::optional<PartialPlacement> start;
  if (request.start) start = placed_start(wanted, *request.start, common);
  const auto text_of = [&hardware](const Problem& problem, const Placement& placement) {
    return placed_text(problem, placement, hardware);
  };
  PlaceJob job{wanted, name, request.strategy, outputs, warnings, start, text_of};
  job.network = viz::network_stages(
      workload, hardware, {stages.operators, stages.time_unit_us, stages.connection_bytes});
  if (request.prices) job.priced = read_priced_stages(wanted, stages, *request.prices, common);
  job.islands = island_search(request.islands, common, "place");
  return run_place_job(job, common);
}

}  // namespace waferloom::cli
