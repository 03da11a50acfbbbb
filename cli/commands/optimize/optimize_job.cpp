#include "cli/commands/optimize/optimize_job.h"

#include "cli/console/interrupt.h"

namespace waferloom::cli {

int finish_optimize(const OptimizeJob& job, const optimize::OptimizeResult& result,
                    const Report& report, std::vector<OutputFolder::File> files,
                    Progress& progress) {
  files.insert(files.begin(), {"report.json", job.report.text(report)});
  job.folder.write(files);
  progress.finish();
  job.report.write(report);
  if (!job.report.on_stdout()) write_stdout(optimize_summary(result, job.folder.path()));
  return exit_code_with_best(progress);
}

}  // namespace waferloom::cli
