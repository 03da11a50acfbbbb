#include "cli/files/result_target.h"

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

}  // namespace waferloom::cli
