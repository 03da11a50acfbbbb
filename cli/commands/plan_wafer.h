#pragma once

#include <string>
#include <vector>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/options/arguments.h"
#include "model/option_spec.h"

namespace waferloom::cli {

/// Whether `plan` is asked to serve a language model from a wafer (--serve).
bool plans_serving(const ArgumentValues& values);

/// --serve, and where its table goes.
std::vector<OptionSpec> plan_serving_options();

/// `plan --serve`: answers the exit code; throws Failure, InputError, InfeasibleError.
int plan_serving(const Arguments& arguments, const OutputFile* output, const ReportTarget& target);

/// `simulate` of a plan that `plan --serve` wrote, given its text. Answers the exit code.
int simulate_resident_plan(const Arguments& arguments, const std::string& text);

}  // namespace waferloom::cli
