#pragma once

#include <optional>
#include <vector>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/files/stage_files.h"
#include "cli/options/arguments.h"
#include "model/option_spec.h"
#include "model/workload.h"
#include "planner/plan_space.h"
#include "planner/wafer_streaming.h"
#include "planner/wafer_ways.h"
#include "sim/simulate.h"
#include "sim/streaming_run.h"

namespace waferloom::cli {

/// Refuses a name that stands for two files of `plan`: of its inputs, these outputs (null: not
/// asked for) and the report. Throws Failure::usage.
void check_plan_files(const Arguments& arguments, std::vector<const OutputFile*> outputs,
                      const ReportTarget& target);

/// Whether `plan` is asked to serve a language model from a wafer (--serve).
bool plans_serving(const ArgumentValues& values);

/// --serve, and where its table goes.
std::vector<OptionSpec> plan_serving_options();

/// `plan --serve`: answers the exit code; throws Failure, InputError, InfeasibleError.
int plan_serving(const Arguments& arguments, const OutputFile* output, const ReportTarget& target);

/// Options of --way pipeline alone.
std::vector<OptionSpec> plan_pipeline_options();
/// `plan --way pipeline`: stages on rectangles of tiles with resident weights. Writes the plan's
/// report to `output`, and to --case the stages as kernels with shapes, which place, route and
/// simulate take. Answers the exit code; throws Failure, InfeasibleError.
int plan_pipeline(const Arguments& arguments, const OutputFile* output, const ReportTarget& target);

/// Likewise of --way streaming.
std::vector<OptionSpec> plan_streaming_options();
/// `plan --way streaming`: a training step, or with --inference prompts, whose weights come through
/// the host ports, planned and simulated. Answers the exit code; throws Failure, InfeasibleError.
int plan_streaming(const Arguments& arguments, const OutputFile* output,
                   const ReportTarget& target);

/// A streamed step, planned and simulated on the fair network.
struct StreamedStep {
  planner::WaferStreaming found;
  sim::StreamingTimes times;
  double seconds(const Hardware& hardware) const {
    return times.step_cycles / static_cast<double>(hardware.clock_hz);
  }
};
/// Simulates what was planned. Throws RequestError, RunCut.
StreamedStep simulated_step(const planner::WaferStreamingJob& job,
                            const planner::WaferStreaming& found, const RunControl& control);
/// Its report, which is its plan's file too.
Json streamed_json(const planner::WaferStreamingJob& job, const StreamedStep& step);

/// Where all ways to use a wafer are planned.
struct AllWaysJob {
  planner::WaferWaysJob ways;
  planner::PlanSpace cut;  ///< the degrees of the way `cut`
  sim::SimulateOptions options;
  bool unless_cut = false;  ///< nothing is written where `cut` is the fastest, nor where none is
};
/// `plan --way all`, and of wafers of small tiles where no way is asked for: sets all ways side by
/// side and writes the plan of the best way that is planned whole to `output`. Answers the exit
/// code, nothing with `unless_cut`; throws Failure, also where PLAN is asked for and a cut alone is
/// possible, and InfeasibleError.
std::optional<int> plan_all_ways(AllWaysJob job, const CommonOptions& common,
                                 const OutputFile* output, const ReportTarget& target);

/// `simulate` of a plan that `plan --serve` wrote. Answers the exit code.
int simulate_resident_plan(const Arguments& arguments, const PlanText& text,
                           const Workload& workload);

/// Likewise of one that `plan --way streaming` wrote.
int simulate_streaming_plan(const Arguments& arguments, const PlanText& text,
                            const Workload& workload);

}  // namespace waferloom::cli
