#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cli/options/search_control.h"
#include "cluster/sweep_folder.h"
#include "cluster/task.h"
#include "model/run_control.h"

namespace waferloom::cli {

/// This program, whose reports name what it reads.
cluster::RunReader run_reader(const CommonOptions& options);

/// The folder of the operand RUN.
cluster::SweepFolder sweep_folder(const Arguments& arguments);

/// The same without time limit, for which sweeps have no use.
RunControl until_a_signal(RunControl control);

/// --memory, of what runs points.
std::vector<OptionSpec> limit_options();
cluster::PointLimits point_limits(const Arguments& arguments);

/// The value of --task. Throws Failure::usage unless it is K/N with K below N.
cluster::TaskPart task_part(const Arguments& arguments);

/// "12 points, 10 done, 1 infeasible, 1 failed, 0 left; 4 were there before".
std::string counts_text(const cluster::PointCounts& counts);

/// 0 where nothing failed and nothing is left, 1 where all failed, 4 otherwise.
int exit_code_of(const cluster::PointCounts& counts);

}  // namespace waferloom::cli
