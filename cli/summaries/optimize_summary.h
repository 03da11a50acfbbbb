#pragma once

#include <string>

#include "optimize/optimize.h"

namespace waferloom::cli {

/// At most 80 columns where names are short.
std::string optimize_summary(const optimize::OptimizeResult& result, const std::string& folder);

}  // namespace waferloom::cli
