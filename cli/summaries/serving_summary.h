#pragma once

#include <string>

#include "planner/serving.h"

namespace waferloom::cli {

/// Tables of TP and PP, of layers, and of what else was asked for.
std::string serving_summary(const planner::ServingJob& job, const planner::ServingFindings& found);

}  // namespace waferloom::cli
