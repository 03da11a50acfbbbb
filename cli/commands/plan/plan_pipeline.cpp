#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/pipeline_summary.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "model/problem.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostKernels = 10'000;

planner::PipelineOptions pipeline_options_of(const Arguments& arguments) {
  planner::PipelineOptions options;
  options.data_type = arguments.text_or_default("data-type");
  if (arguments.has("fill")) options.fill = real(arguments, "fill");
  if (arguments.has("replicas")) options.replicas = whole(arguments, "replicas");
  if (arguments.has("stages")) options.kernels = whole(arguments, "stages");
  if (options.replicas > options.kernels) {
    throw Failure(FailureKind::usage, "--replicas: each has a stage, and --stages allows " +
                                          std::to_string(options.kernels) + " in all");
  }
  options.threads = arguments.common().threads;
  return options;
}

}  // namespace

std::vector<OptionSpec> plan_pipeline_options() {
  const planner::PipelineOptions defaults;
  const std::vector<OptionSpec> options{
      {.name = "fill",
       .value = "X",
       .help = "Share of the tiles that stages may take; less where place "
               "finds no room {default}.",
       .range = RealRange{0.01, 1},
       .fallback = fallback_text(defaults.fill)},
      {.name = "stages",
       .value = "N",
       .help = "Stages of all replicas at most {default}.",
       .range = WholeRange{1, kMostKernels},
       .fallback = std::to_string(defaults.kernels)},
      {.name = "replicas",
       .value = "N",
       .help = "Pipelines side by side (default as many as are best).",
       .range = WholeRange{1, kMostKernels}},
      {.name = "case",
       .value = "FILE",
       .help = "Also write the stages as a case for place (.kgraph)."}};
  return with_modes(options, {{{"--way pipeline"}, {"fill", "stages", "replicas", "case"}}});
}

int plan_pipeline(const Arguments& arguments, const OutputFile* output,
                  const ReportTarget& target) {
  std::optional<OutputFile> case_file;
  std::vector<const OutputFile*> outputs{output};
  if (arguments.has("case")) outputs.push_back(&case_file.emplace(arguments.text("case")));
  check_plan_files(arguments, outputs, target);
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  const Hardware hardware = read_network_hardware_option(arguments);
  const planner::PipelineOptions options = pipeline_options_of(arguments);
  Progress progress(arguments.common(), true);
  const RunControl control = run_control(arguments.common(), progress);
  try {
    const planner::WaferPipeline pipeline =
        planner::plan_wafer_pipeline(workload, hardware, options, control);
    progress.finish();
    const Json report = planner::pipeline_json(workload, hardware, options, pipeline);
    if (case_file) {
      case_file->write(write_kgraph(planner::pipeline_case(workload, hardware, pipeline)));
    }
    if (output != nullptr) output->write(json_text(report));
    target.write(report);
    if (!target.on_stdout()) {
      write_stdout(
          pipeline_summary(report, workload, hardware,
                           planner::pipeline_bottleneck(hardware, pipeline),
                           output != nullptr ? output->path() : "") +
          "\nWhat backs it\n" +
          trust_lines(planner::pipeline_trust(hardware, options.data_type, workload.kept)));
    }
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(network_hardware_name(arguments), error));
  }
  return 0;
}

}  // namespace waferloom::cli
