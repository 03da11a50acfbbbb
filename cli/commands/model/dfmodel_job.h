#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console/common_options.h"
#include "planner/dfmodel.h"

namespace waferloom::cli {

/// What the command line asks for.
struct DfmodelRequest {
  CommonOptions common;
  std::string network;
  planner::DfmodelChoice choice;
  std::optional<std::string> output;
  std::optional<std::string> roofline;
  std::optional<std::string> csv;
};

/// Reads the network, the system, …; throws Failure and InputError.
planner::DfmodelJob dfmodel_job(const DfmodelRequest& request);
/// The files that they are read from.
std::vector<std::string> dfmodel_files(const DfmodelRequest& request);
/// planner::run_dfmodel_job as --mapping, --partitions and --method say; its RequestError
/// is a Failure::usage.
planner::DfmodelResult run_dfmodel(const DfmodelRequest& request, planner::DfmodelJob& job);

}  // namespace waferloom::cli
