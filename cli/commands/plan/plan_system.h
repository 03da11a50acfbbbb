#pragma once

#include <optional>

#include "cli/commands/plan/plan_wafer.h"
#include "cli/files/output_file.h"
#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/report.h"

namespace waferloom::cli {

/// The system of chips that --hardware names; nothing if it is a wafer's or cluster's hardware, a
/// preset of both meaning the hardware. Throws Failure.
std::optional<System> planned_system(const PlanRequest& request);

/// `plan` for a system of chips, of which there is no simulation: degrees by dimension of its
/// network, ranked by DFModel's time. Answers the exit code; throws Failure.
int plan_for_system(const PlanRequest& request, const System& system, const OutputFile& output,
                    const ReportTarget& target);

}  // namespace waferloom::cli
