#pragma once

#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/report.h"

namespace waferloom::cli {

/// `plan` for the chips of a machine: degrees by dimension of its network, ranked by DFModel's
/// time; not simulated here. Writes the best to `output`, unless it is null. Answers the exit code;
/// throws Failure, RunCut.
int plan_for_chips(const PlanRequest& request, const Machine& machine, const OutputFile* output,
                   const ReportTarget& target);

}  // namespace waferloom::cli
