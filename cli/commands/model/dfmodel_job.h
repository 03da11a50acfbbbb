#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "planner/dfmodel.h"

namespace waferloom::cli {

/// Reads WORKLOAD|NETWORK, --system, …; throws Failure and InputError.
planner::DfmodelJob dfmodel_job(const Arguments& arguments);
/// The files that they are read from.
std::vector<std::string> dfmodel_files(const Arguments& arguments);
/// planner::run_dfmodel_job as --mapping, --partitions and --method say; its RequestError
/// is a Failure::usage.
planner::DfmodelResult run_dfmodel(const Arguments& arguments, planner::DfmodelJob& job);

}  // namespace waferloom::cli
