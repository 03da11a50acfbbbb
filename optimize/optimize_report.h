#pragma once

#include <optional>

#include "model/hardware.h"
#include "model/report.h"
#include "optimize/optimize.h"
#include "optimize/run_control.h"
#include "sim/simulate.h"

namespace waferloom::optimize {

/// A report of schema waferloom/optimize/1; the same bytes at any number of threads.
Json optimize_json(const OptimizeResult& result, const Hardware& hardware,
                   const sim::SimulateOptions& options, const SearchControl& control,
                   const std::vector<std::string>& warnings);

/// What the contest's cost of the best is above the baseline's; nothing without one, or of
/// networks.
std::optional<double> cost_given_up(const OptimizeResult& result);

/// By what part of the baseline the best is faster; nothing without a simulated baseline.
std::optional<double> gain(const OptimizeResult& result);

}  // namespace waferloom::optimize
