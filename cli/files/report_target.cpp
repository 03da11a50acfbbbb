#include "cli/files/report_target.h"

#include <sys/resource.h>

#include "cli/console/made_by.h"

namespace waferloom::cli {

ReportTarget::ReportTarget(const CommonOptions& options)
    : on_stdout_(options.report == "-"),
      descriptor_(options.report_descriptor),
      made_by_(options.made_by) {
  if (!on_stdout_ && !options.report.empty()) file_.emplace(options.report);
}

void ReportTarget::write(const Report& report) const {
  if (!wanted()) return;
  const std::string text = this->text(report);
  if (on_stdout_) write_stdout(text);
  if (!file_) return;
  if (descriptor_ >= 0) {
    cluster::write_to(descriptor_, text, file_->path());
  } else {
    file_->write(text);
  }
}

std::string ReportTarget::text(const Report& report) const {
  return report_text(report, made_by_->facts());
}

std::int64_t peak_memory_bytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace waferloom::cli
