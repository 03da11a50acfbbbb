#pragma once

#include <string>
#include <vector>

#include "cli/console/progress.h"
#include "cli/files/output_folder.h"
#include "cli/files/report_target.h"
#include "cli/options/arguments.h"
#include "cli/summaries/optimize_summary.h"
#include "model/report.h"

namespace waferloom::cli {

/// What `optimize` was asked to do, besides what it reads.
struct OptimizeJob {
  const Arguments& arguments;
  const OutputFolder& folder;
  const ReportTarget& report;
  std::string strategy = "auto";
  std::optional<std::size_t> top{};  ///< candidates to simulate
};

/// Writes the folder, the report or the summary, and answers the exit code.
int finish_optimize(const OptimizeJob& job, const optimize::OptimizeResult& result,
                    const Json& report, std::vector<OutputFolder::File> files, Progress& progress);

// The two forms; each answers the exit code. Throw Failure.
int optimize_case(const OptimizeJob& job);
int optimize_workload(const OptimizeJob& job);

}  // namespace waferloom::cli
