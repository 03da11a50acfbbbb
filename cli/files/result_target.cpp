#include "cli/files/result_target.h"

#include "cli/console/failure.h"

namespace waferloom::cli {

ResultTarget::ResultTarget(const std::string& path) {
  if (path != "-") file_.emplace(path);
}

void ResultTarget::replace(std::string_view bytes) const {
  if (file_) file_->write(bytes);
}

void ResultTarget::finish(std::string_view bytes) const {
  if (on_stdout()) write_stdout(bytes);
}

void check_one_stdout(const ReportTarget& report, const ResultTarget& result) {
  if (!report.on_stdout() || !result.on_stdout()) return;
  throw Failure(FailureKind::usage, "expected one of -o - and --report - on stdout");
}

}  // namespace waferloom::cli
