#pragma once

#include <string>

#include "optimize/optimize.h"

namespace waferloom::cli {

/// What bounds a candidate that was simulated, and the next bound.
std::string measured_bound_line(const optimize::Measured& measured);

/// At most 80 columns where names are short.
std::string optimize_summary(const optimize::OptimizeResult& result, const std::string& folder);

}  // namespace waferloom::cli
