#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console/warnings.h"
#include "cli/files/report_target.h"
#include "cli/options/arguments.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/report.h"
#include "optimize/optimize.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// A report of schema waferloom/optimize/1; the same bytes at any number of threads.
Json optimize_json(const optimize::OptimizeResult& result, const Hardware& hardware,
                   const sim::SimulateOptions& options, const CommonOptions& common,
                   const Warnings& warnings);

/// At most 80 columns where names are short.
std::string optimize_summary(const optimize::OptimizeResult& result, const std::string& folder);

}  // namespace waferloom::cli
