#pragma once

#include <string>

#include "optimize/ways.h"

namespace waferloom::cli {

/// At most 80 columns: the best way, all that are possible side by side, and why others are not.
/// `written` is the plan's file, or empty.
std::string ways_summary(const optimize::WaysJob& job, const optimize::Ways& found,
                         const std::string& written);

}  // namespace waferloom::cli
