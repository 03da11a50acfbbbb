#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cli/sweep/point_process.h"
#include "cli/sweep/run_folder.h"
#include "cli/sweep/task.h"
#include "model/report.h"

namespace waferloom::cli {

/// Tasks that a run may be cut into.
inline constexpr std::uint64_t kMostTasks = 1'000'000;

/// --memory, of what runs points.
std::vector<OptionSpec> limit_options();
PointLimits point_limits(const Arguments& arguments);

/// The value of --task. Throws Failure::usage unless it is K/N with K below N.
TaskPart task_part(const Arguments& arguments);

/// "12 points, 10 done, 1 infeasible, 1 failed, 0 left; 4 were there before".
std::string counts_text(const PointCounts& counts);

/// A report of schema waferloom/sweep_status/1, without what runs.
Json counts_report(const RunFolder& run, const PointCounts& counts);

}  // namespace waferloom::cli
