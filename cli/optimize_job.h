#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/optimize_report.h"
#include "cli/output_folder.h"
#include "cli/progress.h"

namespace waferloom {

/// What `optimize` was asked to do, besides what it reads.
struct OptimizeJob {
  const Arguments& arguments;
  const OutputFolder& folder;
  const ReportTarget& report;
  std::size_t top = 4;  ///< candidates to simulate a round
  std::string strategy = "auto";
};

/// Calls task(0) … task(count − 1) on the threads that the options allow; the first exception, by
/// index, is thrown when all are done.
void run_parallel(std::size_t count, const CommonOptions& options,
                  const std::function<void(std::size_t)>& task);

/// Options of one of `left` searches that are still to come: so many steps less effort than asked
/// for, and of a time limit an even part of half of what is left.
CommonOptions part_of(const CommonOptions& options, int less_effort, std::size_t left);

/// Writes the folder, the report or the summary, and answers the exit code.
int finish_optimize(const OptimizeJob& job, const OptimizeResult& result, const Json& report,
                    std::vector<OutputFolder::File> files, Progress& progress);

// The two forms; each answers the exit code. Throw Failure.
int optimize_case(const OptimizeJob& job);
int optimize_workload(const OptimizeJob& job);

}  // namespace waferloom
