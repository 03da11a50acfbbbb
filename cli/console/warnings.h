#pragma once

#include <string>
#include <vector>

#include "cli/console/common_options.h"

namespace waferloom::cli {

/// What a command doubts in its inputs but takes: told on stderr at once unless quiet, and kept for
/// the report.
class Warnings {
 public:
  explicit Warnings(const CommonOptions& options) : options_(options) {}
  void add(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const CommonOptions& options_;
  std::vector<std::string> texts_;
};

}  // namespace waferloom::cli
