#include "cli/files/wafer_stages.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "cli/console/failure.h"
#include "cli/files/judged_files.h"
#include "cli/files/machine_file.h"
#include "model/text.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"

namespace waferloom::cli {

namespace {

/// The case of a plan of each way.
struct CaseOf {
  const Workload& workload;
  const Hardware& hardware;
  std::optional<optimize::PipelineBatch>& batch;
  Problem operator()(const PipelinePlan& plan) const {
    const planner::WaferPipeline pipeline = planner::planned_pipeline(plan, workload, hardware);
    batch = optimize::batch_of(pipeline, hardware);
    return planner::pipeline_case(workload, hardware, pipeline);
  }
  Problem operator()(const ResidentPlan& plan) const {
    return planner::resident_case(plan, workload, hardware);
  }
  Problem operator()(const StreamingPlan& plan) const {
    return planner::streaming_case(plan, workload, hardware);
  }
  Problem operator()(const Plan& /*plan*/) const {
    throw std::logic_error("a cut has stages of its own");
  }
};

}  // namespace

WaferStages wafer_stages(const PlannedNetwork& planned, const std::string& constraints,
                         const CommonOptions& common) {
  Hardware hardware = planned.hardware;
  std::optional<optimize::PipelineBatch> batch;
  Problem problem = blaming(planned, [&] {
    return std::visit(CaseOf{planned.workload, hardware, batch}, planned.plan);
  });
  problem = constrained_stages(problem, constraints, common);
  // What stages keep off carries nothing, as where they are read from a case.
  add_dead_tiles(hardware, problem.wafer().dead);
  return {std::move(hardware), std::move(problem), std::move(batch)};
}

namespace {

/// Whether a text is a JSON file, cut off or not.
bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

/// Refuses stages that the plan does not have.
void check_stages(const StagePlacement& placed, const Problem& problem, const std::string& source) {
  std::set<std::string> known;
  for (const ProblemKernel& kernel : problem.kernels()) known.insert(kernel.name);
  for (const PlacedStage& stage : placed.stages) {
    if (known.contains(stage.name)) continue;
    throw InputError(source, kWholeSource, "the plan has no stage " + in_quotes(stage.name));
  }
}

}  // namespace

Placement read_wafer_placement(const std::optional<std::string>& path, const WaferRead& read,
                               const WaferStages& stages, const CommonOptions& common,
                               Warnings& warnings) {
  if (!path) {
    throw Failure(FailureKind::usage,
                  "expected --placement FILE: where the stages of a plan lie `waferloom place " +
                      read.workload + " --plan " + read.plan + " -o FILE` says");
  }
  const std::string text = read_input(*path, common);
  const std::string source = source_name(*path);
  const Problem& problem = stages.problem;
  if (!is_json(text)) return legal_placement(read_solution(text, source), source, problem);
  const StagePlacement placed = read_stage_placement(text, source);
  check_stages(placed, problem, source);
  warn_of_hardware(placed, source, stages.hardware, warnings);
  const PartialPlacement found = stages_in_shapes(problem, placed);
  Placement placement;
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    if (!found.kernels[i]) {
      throw InputError(
          source, kWholeSource,
          fmt::format("stage {} is not there in one of its shapes", problem.kernels()[i].name));
    }
    placement.kernels.push_back(*found.kernels[i]);
  }
  return legal_placement(to_solution(problem, placement), source, problem);
}

}  // namespace waferloom::cli
