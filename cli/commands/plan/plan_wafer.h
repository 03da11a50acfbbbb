#pragma once

#include <optional>
#include <vector>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/files/stage_files.h"
#include "cli/options/arguments.h"
#include "model/option_spec.h"
#include "model/workload.h"
#include "optimize/wafer_runs.h"

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

/// `plan --way all`, and of wafers of small tiles where no way is asked for: sets all ways side by
/// side and writes the plan of the best way that is planned whole to `output`. Answers the exit
/// code; nothing, and writes nothing, with `unless_cut` where `cut` is the fastest or none is.
/// Throws Failure, also where PLAN is asked for and a cut alone is possible, and InfeasibleError.
std::optional<int> plan_all_ways(optimize::AllWaysJob job, bool unless_cut,
                                 const CommonOptions& common, const OutputFile* output,
                                 const ReportTarget& target);

}  // namespace waferloom::cli
