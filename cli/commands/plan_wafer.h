#pragma once

#include <vector>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/options/arguments.h"
#include "cli/options/stage_options.h"
#include "model/option_spec.h"
#include "model/workload.h"

namespace waferloom::cli {

/// Whether `plan` is asked to serve a language model from a wafer (--serve).
bool plans_serving(const ArgumentValues& values);

/// --serve, and where its table goes.
std::vector<OptionSpec> plan_serving_options();

/// `plan --serve`: answers the exit code; throws Failure, InputError, InfeasibleError.
int plan_serving(const Arguments& arguments, const OutputFile* output, const ReportTarget& target);

/// Whether `plan` is asked for a pipeline (--way pipeline).
bool plans_pipeline(const ArgumentValues& values);
/// Options of that way alone.
std::vector<OptionSpec> plan_pipeline_options();
/// `plan --way pipeline`: stages on rectangles of tiles with resident weights. Writes the plan's
/// report to `output`, and to --case the stages as kernels with shapes, which place, route and
/// simulate take. Answers the exit code; throws Failure, InfeasibleError.
int plan_pipeline(const Arguments& arguments, const OutputFile* output, const ReportTarget& target);

/// Whether `plan` is asked to stream weights (--way streaming).
bool plans_streaming(const ArgumentValues& values);
std::vector<OptionSpec> plan_streaming_options();
/// `plan --way streaming`: a training step, or with --inference prompts, whose weights come through
/// the host ports, planned and simulated. Answers the exit code; throws Failure, InfeasibleError.
int plan_streaming(const Arguments& arguments, const OutputFile* output,
                   const ReportTarget& target);

/// `simulate` of a plan that `plan --serve` wrote. Answers the exit code.
int simulate_resident_plan(const Arguments& arguments, const PlanText& text,
                           const Workload& workload);

/// Likewise of one that `plan --way streaming` wrote.
int simulate_streaming_plan(const Arguments& arguments, const PlanText& text,
                            const Workload& workload);

}  // namespace waferloom::cli
