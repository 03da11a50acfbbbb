#pragma once

#include <string>
#include <vector>

#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/output_folder.h"
#include "cli/files/report_target.h"
#include "cli/options/island_options.h"
#include "cli/summaries/optimize_summary.h"
#include "model/report.h"
#include "optimize/optimize.h"

namespace waferloom::cli {

/// What the command line asks for.
struct OptimizingRequest {
  CommonOptions common;
  ProblemFiles files;  ///< the graph may be a network
  std::string output;
  MachineChoice hardware;
  optimize::OptimizeRequest search;
  std::optional<std::string> plan;
  std::optional<std::string> start;
  IslandRequest islands;
};

/// It, and where results go.
struct OptimizeJob {
  const OptimizingRequest& request;
  const OutputFolder& folder;
  const ReportTarget& report;
};

/// Writes the folder, the report or the summary, and answers the exit code.
int finish_optimize(const OptimizeJob& job, const optimize::OptimizeResult& result,
                    const Report& report, std::vector<OutputFolder::File> files,
                    Progress& progress);

// The two forms; each answers the exit code. Throw Failure.
int optimize_case(const OptimizeJob& job);
int optimize_workload(const OptimizeJob& job);

}  // namespace waferloom::cli
