#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cli/files/output_file.h"
#include "cli/options/options.h"
#include "model/report.h"

namespace waferloom::cli {

/// Where a command's report goes. Made before work begins.
class ReportTarget {
 public:
  explicit ReportTarget(const CommonOptions& options);
  bool wanted() const { return on_stdout_ || file_; }
  /// stdout carries the report alone then.
  bool on_stdout() const { return on_stdout_; }
  /// The file, if it is one; for check_distinct.
  const OutputFile* file() const { return file_ ? &*file_ : nullptr; }
  /// A report as it is written, with what it was made by.
  std::string text(const Report& report) const;
  void write(const Report& report) const;

 private:
  bool on_stdout_ = false;
  std::optional<OutputFile> file_;
  int descriptor_ = -1;  ///< in place of the file
  std::shared_ptr<MadeBy> made_by_;
};

/// Of this process, so far.
std::int64_t peak_memory_bytes();

}  // namespace waferloom::cli
