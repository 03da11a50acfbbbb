#include "cli/files/report_target.h"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

namespace waferloom::cli {

ReportTarget::ReportTarget(const CommonOptions& options) : on_stdout_(options.report == "-") {
  if (!on_stdout_ && !options.report.empty()) file_.emplace(options.report);
}

void ReportTarget::write(const Json& report) const {
  if (on_stdout_) write_stdout(json_text(report));
  if (file_) file_->write(json_text(report));
}

std::int64_t peak_memory_bytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace waferloom::cli
