#pragma once

#include <optional>
#include <string>

#include "cli/console/common_options.h"
#include "planner/amped.h"

namespace waferloom::cli {

/// What the command line asks for.
struct AmpedRequest {
  CommonOptions common;
  std::string workload;
  planner::AmpedChoice amped;
  std::optional<std::string> csv;
  std::optional<std::string> heatmap;
};

/// Throws Failure for what cannot be, InputError for files.
planner::AmpedJob amped_job(const AmpedRequest& request);

/// planner::run_amped_job, whose RequestError is a Failure::usage.
planner::AmpedExploration run_amped(const planner::AmpedJob& job);

}  // namespace waferloom::cli
