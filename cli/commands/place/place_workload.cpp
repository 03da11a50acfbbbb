#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/place/place_job.h"
#include "cli/files/input_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/wafer_stages.h"
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

/// Where a run starts from.
PartialPlacement placed_start(const Problem& problem, const std::string& path,
                              const CommonOptions& common) {
  PartialPlacement start =
      stages_in_shapes(problem, read_stage_placement(read_input(path, common), source_name(path)));
  const bool any = std::any_of(start.kernels.begin(), start.kernels.end(),
                               [](const auto& kernel) { return kernel.has_value(); });
  if (any) return start;
  throw InputError(source_name(path), kWholeSource,
                   "expected stages of this plan in one of their shapes, found none");
}

/// The stages of a pipeline, or regions, which the plan binds to where they lie.
int place_wafer_plan(const PlaceRequest& request, const PlaceOutputs& outputs,
                     const Workload& workload, const AnyPlanFile& file) {
  const CommonOptions& common = request.common;
  Warnings warnings(common);
  const WaferStages stages =
      read_wafer_stages(file, workload, request.hardware, request.files, common, warnings);
  std::optional<PartialPlacement> start;
  if (request.start) start = placed_start(stages.problem, *request.start, common);
  const auto text_of = [&](const Problem& problem, const Placement& placement) {
    return placed_text(problem, placement, stages.hardware);
  };
  PlaceJob job{stages.problem, request.files.graph, request.strategy, outputs, warnings, start,
               text_of};
  if (request.prices) job.priced = read_priced(stages.problem, *request.prices, common);
  job.islands = island_search(request.islands, common, "place");
  return run_place_job(job, common);
}

}  // namespace

int place_workload(const PlaceRequest& request, const PlaceOutputs& outputs) {
  const CommonOptions& common = request.common;
  const std::string& name = request.files.graph;
  const Workload workload = read_workload_named(name, "CASE", common);
  AnyPlanFile any = read_any_plan_file(request.plan.value(), common);
  if (!std::holds_alternative<Plan>(any.plan)) {
    return place_wafer_plan(request, outputs, workload, any);
  }
  const PlanFile file = cut_plan_file(std::move(any));
  const Hardware hardware = with_wafer_of(
      read_fabric(request.hardware, file.default_machine, common), request.files.wafer, common);
  Warnings warnings(common);
  warn_of_others(file.source, file.plan.made_for, workload, hardware, warnings);
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
