#pragma once

#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/report.h"

namespace waferloom::cli {

/// `plan` for the chips of a machine, of which there is no simulation: degrees by dimension of its
/// network, ranked by DFModel's time. Answers the exit code; throws Failure.
int plan_for_chips(const PlanRequest& request, const System& system, const OutputFile& output,
                   const ReportTarget& target);

}  // namespace waferloom::cli
