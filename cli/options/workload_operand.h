#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "model/workload.h"

namespace waferloom::cli {

/// The workload that an operand names: a preset if there is one of that name, otherwise a file.
/// Throws Failure.
Workload read_workload_operand(const Arguments& arguments, const std::string& operand);
/// Whether an operand names a network: a preset, or a file that ends in .json.
bool names_workload(const std::string& operand);
/// Throws Failure::usage, which says what to add, if a network is named where a case should be.
void refuse_workload(const std::string& operand);
/// The file that it is read from, if it is one.
std::vector<std::string> workload_files(const std::string& name);
/// The files that a workload CASE, its --plan and --hardware are read from.
std::vector<std::string> workload_inputs(const Arguments& arguments);

}  // namespace waferloom::cli
