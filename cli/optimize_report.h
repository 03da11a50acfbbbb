#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/report.h"
#include "cli/warnings.h"
#include "model/hardware.h"
#include "optimize/optimize.h"
#include "sim/simulate.h"

namespace waferloom {

/// A report of schema waferloom/optimize/1; the same bytes at any number of threads.
Json optimize_json(const OptimizeResult& result, const Hardware& hardware,
                   const SimulateOptions& options, const CommonOptions& common,
                   const Warnings& warnings);

/// At most 80 columns where names are short.
std::string optimize_summary(const OptimizeResult& result, const std::string& folder);

}  // namespace waferloom
