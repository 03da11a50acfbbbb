#pragma once

#include <string>
#include <vector>

#include "planner/validation_report.h"

namespace waferloom::cli {

/// The chapters' rows and the counts, in 80 columns.
std::string validation_summary(const std::vector<planner::ValidationChapter>& chapters);

}  // namespace waferloom::cli
