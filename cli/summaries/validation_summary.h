#pragma once

#include <string>
#include <vector>

#include "planner/validation.h"

namespace waferloom::cli {

/// The chapters' rows and the counts, in 80 columns.
std::string validation_summary(const std::vector<planner::ValidationChapter>& chapters);

/// A row a kind: rows, those judged, and their errors.
std::string wafer_rows_summary(const std::vector<planner::WaferRow>& rows);

}  // namespace waferloom::cli
