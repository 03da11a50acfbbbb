#pragma once

#include <string>

#include "model/option_spec.h"

namespace waferloom::cli {

/// Whether the value of an option is a file or folder that the command writes, besides --report.
bool is_output(const std::string& command, const OptionSpec& option);

}  // namespace waferloom::cli
