#include "cli/optimize_job.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>

#include "cli/interrupt.h"
#include "model/parallel.h"

namespace waferloom {

void run_parallel(std::size_t count, const CommonOptions& options,
                  const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> errors(count);
  parallel_tasks(count, options.threads, [&](std::size_t i) {
    try {
      task(i);
    } catch (...) {
      errors[i] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

CommonOptions part_of(const CommonOptions& options, int less_effort, std::size_t left) {
  CommonOptions part = options;
  part.effort = std::max(1, options.effort - less_effort);
  if (const auto end = deadline(options, options.start)) {
    using std::chrono::microseconds;
    const auto rest = std::max(*end - Clock::now(), Clock::duration{0});
    part.time_limit =
        std::max(std::chrono::duration_cast<microseconds>(rest / (2 * left)), microseconds{1});
  }
  return part;
}

int finish_optimize(const OptimizeJob& job, const OptimizeResult& result, const Json& report,
                    std::vector<OutputFolder::File> files, Progress& progress) {
  files.insert(files.begin(), {"report.json", json_text(report)});
  job.folder.write(files);
  progress.finish();
  job.report.write(report);
  if (!job.report.on_stdout()) write_stdout(optimize_summary(result, job.folder.path()));
  if (!interrupted()) return 0;
  progress.note("interrupted: the best so far is written");
  return interrupted_exit_code();
}

}  // namespace waferloom
