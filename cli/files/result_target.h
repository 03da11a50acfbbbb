#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/files/output_file.h"
#include "cli/files/report_target.h"

namespace waferloom::cli {

/// Where a command's result goes: a file, which better results replace, or stdout for "-", which
/// gets the last one alone. Made before work begins, as OutputFile.
class ResultTarget {
 public:
  explicit ResultTarget(const std::string& path);
  bool on_stdout() const { return !file_; }
  /// The file, if it is one; for check_distinct.
  const OutputFile* file() const { return file_ ? &*file_ : nullptr; }
  /// For messages: the path, or "standard output".
  std::string name() const { return file_ ? file_->path() : "standard output"; }
  /// A result that a better one may follow: replaces the file; nothing on stdout. Throws
  /// Failure::input.
  void replace(std::string_view bytes) const;
  /// The last result, which replace() has had: goes to stdout, if that is the target.
  void finish(std::string_view bytes) const;

 private:
  std::optional<OutputFile> file_;
};

/// Throws Failure::usage where both would go to stdout.
void check_one_stdout(const ReportTarget& report, const ResultTarget& result);

}  // namespace waferloom::cli
