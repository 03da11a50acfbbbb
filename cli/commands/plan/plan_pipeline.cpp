#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/summaries/pipeline_summary.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "model/problem.h"
#include "optimize/ways.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostKernels = 10'000;

planner::PipelineOptions pipeline_options_of(const PlanRequest& request) {
  planner::PipelineOptions options = request.pipeline;
  options.data_type = request.cut.data_type;
  const bool trains = request.purpose == optimize::Purpose::train;
  for (const char* option : {"batch", "optimizer"}) {
    if (trains || !request.common.has(option)) continue;
    throw Failure(FailureKind::usage,
                  fmt::format("--{}: of training; expected --for train too", option));
  }
  if (trains) {
    options.batch = request.cut.batch;
    options.optimizer = request.cut.optimizer;
    if (options.replicas > options.batch) {
      throw Failure(
          FailureKind::usage,
          fmt::format("--replicas: each has a sample, and --batch says {} in all", options.batch));
    }
  }
  if (options.replicas > options.kernels) {
    throw Failure(FailureKind::usage,
                  fmt::format("--replicas: each has a stage, and --stages allows {} in all",
                              options.kernels));
  }
  options.threads = request.common.threads;
  return options;
}

}  // namespace

Options<PlanRequest> plan_pipeline_options() {
  using Pipeline = planner::PipelineOptions;
  const Options<Pipeline> options{
      option(&Pipeline::fill,
             {.name = "fill",
              .value = "X",
              .help = "Share of the tiles that stages may take (default {fallback}, "
                      "or less where place finds no room).",
              .range = RealRange{0.01, 1}}),
      option(&Pipeline::kernels, {.name = "stages",
                                  .value = "N",
                                  .help = "Stages of all replicas at most {default}.",
                                  .range = WholeRange{1, kMostKernels}}),
      option(&Pipeline::replicas, {.name = "replicas",
                                   .value = "N",
                                   .help = "Pipelines side by side (default as many as are best).",
                                   .range = WholeRange{1, kMostKernels}})};
  return in_modes(joined_options<PlanRequest>(
                      {options_inside(&PlanRequest::pipeline, options),
                       {option(&PlanRequest::case_file,
                               {.name = "case",
                                .value = "FILE",
                                .help = "Also write the stages as a case for place (.kgraph)."})}}),
                  {{{"--way pipeline"}, {"fill", "stages", "replicas", "case"}}});
}

int plan_pipeline(const PlanRequest& request, const OutputFile* output,
                  const ReportTarget& target) {
  std::optional<OutputFile> case_file;
  std::vector<const OutputFile*> outputs{output};
  if (request.case_file) outputs.push_back(&case_file.emplace(*request.case_file));
  check_plan_files(request, outputs, target);
  const Workload workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  const Hardware hardware = read_fabric(request.hardware, sim::kNetworkHardware, request.common);
  planner::PipelineOptions options = pipeline_options_of(request);
  Progress progress(request.common, true);
  const RunControl control = run_control(request.common, progress);
  try {
    planner::PipelinePlanner planner(workload, hardware);
    planner::WaferPipeline pipeline = planner.plan(options, control);
    if (!request.common.has("fill")) {
      optimize::SearchControl placing;
      static_cast<RunControl&>(placing) = control;
      placing.threads = options.threads;
      placing.effort = 1;  // whether there is room
      optimize::PlacedPipeline placed =
          optimize::place_wafer_pipeline(planner, {workload, hardware, options, pipeline}, placing);
      options = placed.options;
      pipeline = std::move(placed.pipeline);
    }
    progress.finish();
    const Report report = planner::pipeline_report(workload, hardware, options, pipeline);
    if (case_file) {
      case_file->write(write_kgraph(planner::pipeline_case(workload, hardware, pipeline)));
    }
    if (output != nullptr) output->write(report_text(report));
    target.write(report);
    if (!target.on_stdout()) {
      write_stdout(pipeline_summary(workload, hardware, options, pipeline,
                                    output != nullptr ? output->path() : "") +
                   "\nWhat backs it\n" +
                   trust_lines(planner::pipeline_trust(hardware, options, workload.kept)));
    }
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input,
                  blamed(request.hardware.name_or(sim::kNetworkHardware), error));
  }
  return 0;
}

}  // namespace waferloom::cli
