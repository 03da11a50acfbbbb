#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/place/place_job.h"
#include "cli/files/input_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/stage_files.h"
#include "cli/files/wafer_stages.h"
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

/// What is placed: under which constraints, and what draws and reads it.
struct StagesToPlace {
  Problem problem;
  Hardware hardware;
  std::optional<sim::PlanStages> cut{};  ///< of a plan that cuts
};

StagesToPlace stages_to_place(const PlaceRequest& request, const PlannedNetwork& planned) {
  const std::string& constraints = request.files.constraints;
  const Plan* plan = planned.cut();
  if (plan == nullptr) {
    WaferStages stages = wafer_stages(planned, constraints, request.common);
    return {std::move(stages.problem), std::move(stages.hardware)};
  }
  sim::PlanStages stages = blaming(planned, [&] {
    return sim::plan_stages(planned.workload, *plan, planned.hardware, request.memory_model);
  });
  Problem problem = constrained_stages(stages.problem, constraints, request.common);
  return {std::move(problem), planned.hardware, std::move(stages)};
}

}  // namespace

int place_workload(const PlaceRequest& request, const PlaceOutputs& outputs) {
  const CommonOptions& common = request.common;
  Warnings warnings(common);
  const PlannedNetwork planned = read_planned_network(
      {request.files.graph, request.plan.value(), request.hardware, request.files.wafer}, common,
      warnings);
  const auto [problem, hardware, cut] = stages_to_place(request, planned);
  std::optional<PartialPlacement> start;
  if (request.start) start = placed_start(problem, *request.start, common);
  const auto text_of = [on = hardware](const Problem& stages, const Placement& placement) {
    return placed_text(stages, placement, on);
  };
  PlaceJob job{problem, request.files.graph, request.strategy, outputs, warnings, start, text_of};
  if (cut) {
    job.network = viz::network_stages(planned.workload, hardware,
                                      {cut->operators, cut->time_unit_us, cut->connection_bytes});
  }
  if (request.prices) {
    job.priced = cut ? read_priced_stages(problem, *cut, *request.prices, common)
                     : read_priced(problem, *request.prices, common);
  }
  job.islands = island_search(request.islands, common, "place");
  return run_place_job(job, common);
}

}  // namespace waferloom::cli
