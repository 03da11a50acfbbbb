#pragma once

#include <vector>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/options/arguments.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/workload.h"

namespace waferloom::cli {

/// `plan --way pipeline`: stages on rectangles of tiles with resident weights. Writes the plan's
/// report to `output`, and to --case the stages as kernels with shapes, which place, route and
/// simulate take. Answers the exit code; throws Failure, InfeasibleError.
int plan_pipeline(const Arguments& arguments, const Workload& workload, const Hardware& hardware,
                  const OutputFile& output, const OutputFile* case_file,
                  const ReportTarget& target);

/// Options of that way alone.
std::vector<OptionSpec> pipeline_options();

}  // namespace waferloom::cli
