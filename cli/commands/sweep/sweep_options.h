#pragma once

#include <string>

#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cluster/sweep_folder.h"
#include "cluster/task.h"
#include "model/run_control.h"

namespace waferloom::cli {

/// This program, whose reports name what it reads.
cluster::RunReader run_reader(const CommonOptions& options);

/// What asks for nothing but a run.
struct SweepRunRequest {
  CommonOptions common;
  std::string run;
};

/// RUN, which sets a request's `run`.
template <typename Request>
Operand<Request> run_operand() {
  return operand(&Request::run, {"RUN", "The folder that `sweep plan` made."});
}
/// Its folder.
cluster::SweepFolder sweep_folder(const std::string& run, const CommonOptions& common);

/// The same without time limit, for which sweeps have no use.
RunControl until_a_signal(RunControl control);

/// --memory, of what runs points.
OptionSpec memory_option();

/// The value of --task. Throws Failure::usage unless it is K/N with K below N.
cluster::TaskPart task_part(const std::string& text);

/// "12 points, 10 done, 1 infeasible, 1 failed, 0 left; 4 were there before".
std::string counts_text(const cluster::PointCounts& counts);

/// 0 where nothing failed and nothing is left, 1 where all failed, 4 otherwise.
int exit_code_of(const cluster::PointCounts& counts);

}  // namespace waferloom::cli
