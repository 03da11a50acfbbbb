#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files/machine_file.h"
#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/files/stage_files.h"
#include "cli/options/arguments.h"
#include "model/option_spec.h"
#include "model/workload.h"
#include "optimize/plan.h"
#include "optimize/wafer_runs.h"
#include "optimize/ways.h"
#include "planner/wafer_pipeline.h"
#include "planner/wafer_serving.h"

namespace waferloom::cli {

/// How a wafer is used.
enum class PlanWay : std::uint8_t { all, cut, pipeline, streaming, chips };
inline constexpr std::array<std::string_view, 5> kPlanWayNames{"all", "cut", "pipeline",
                                                               "streaming", "chips"};
constexpr std::span<const std::string_view> words_of(PlanWay /*of*/) { return kPlanWayNames; }

/// What the command line of `plan` asks for.
struct PlanRequest {
  CommonOptions common;
  std::string workload;
  std::optional<std::string> file;  ///< of the plan
  MachineChoice hardware;
  optimize::CutRequest cut;
  std::optional<std::string> placement;
  std::optional<PlanWay> way;
  planner::ChipExecution execution = planner::SystemPlanOptions{}.execution;
  std::optional<optimize::Purpose> purpose;
  bool serve = false;
  planner::WaferServingJob serving;  ///< what its options say of it
  std::optional<std::string> csv;
  std::optional<std::string> draw;
  planner::PipelineOptions pipeline;  ///< likewise
  std::optional<std::string> case_file;
  std::optional<std::int64_t> sequences;
};

/// Refuses a name that stands for two files of `plan`: of its inputs, these outputs (null: not
/// asked for) and the report. Throws Failure::usage.
void check_plan_files(const PlanRequest& request, std::vector<const OutputFile*> outputs,
                      const ReportTarget& target);

/// Whether `plan` is asked to serve a language model from a wafer (--serve).
bool plans_serving(const ArgumentValues& values);

/// --serve, and where its table goes.
Options<PlanRequest> plan_serving_options();

/// `plan --serve`: answers the exit code; throws Failure, InputError, InfeasibleError.
int plan_serving(const PlanRequest& request, const OutputFile* output, const ReportTarget& target);

/// Options of --way pipeline alone.
Options<PlanRequest> plan_pipeline_options();
/// `plan --way pipeline`: stages on rectangles of tiles with resident weights. Writes the plan's
/// report to `output`, and to --case the stages as kernels with shapes, which place, route and
/// simulate take. Answers the exit code; throws Failure, InfeasibleError.
int plan_pipeline(const PlanRequest& request, const OutputFile* output, const ReportTarget& target);

/// Likewise of --way streaming.
Options<PlanRequest> plan_streaming_options();
/// `plan --way streaming`: a training step, or with --inference prompts, whose weights come through
/// the host ports, planned and simulated. Answers the exit code; throws Failure, InfeasibleError.
int plan_streaming(const PlanRequest& request, const OutputFile* output,
                   const ReportTarget& target);

/// `plan --way all`, `--for`, and where no way is asked for and there are several, or no PLAN: sets
/// all ways side by side and writes the plan of the best way that is planned whole to `output`.
/// Answers the exit code; nothing, and writes nothing, with `unless_cut` where `cut` is the fastest
/// or none is. Throws Failure, also where PLAN is asked for and a cut alone is possible, and
/// InfeasibleError.
std::optional<int> plan_all_ways(const optimize::WaysJob& job, bool unless_cut,
                                 const CommonOptions& common, const OutputFile* output,
                                 const ReportTarget& target);

}  // namespace waferloom::cli
