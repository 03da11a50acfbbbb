#pragma once

#include <string>

#include "planner/wafer_ways.h"

namespace waferloom::cli {

/// At most 80 columns: the best way, all that are possible side by side, and why others are not.
/// `written` is the plan's file, or empty.
std::string wafer_ways_summary(const planner::WaferWaysJob& job, const planner::WaferWays& found,
                               const std::string& written);

}  // namespace waferloom::cli
