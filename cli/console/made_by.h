#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"

namespace waferloom::cli {

/// What a report was made by and from, so that it can be made again.
class MadeBy {
 public:
  /// The command line behind the program's name. --threads is left out: it changes no result.
  explicit MadeBy(const std::vector<std::string>& command_line);
  /// Notes an input; what is read twice counts once.
  void add_input(const std::string& name, std::string_view bytes);
  MadeByFacts facts() const;
  /// What was read, in the order in which it was read first.
  const std::vector<InputFacts>& inputs() const { return inputs_; }

 private:
  std::vector<std::string> arguments_;
  std::vector<InputFacts> inputs_;
};

}  // namespace waferloom::cli
