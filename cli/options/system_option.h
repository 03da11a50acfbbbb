#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "model/system.h"

namespace waferloom::cli {

/// The system of an option --NAME: a preset if there is one of that name, otherwise a file; the
/// option's default where it is not given. Throws Failure.
System read_system_option(const Arguments& arguments, const std::string& option);
/// The file that it is read from, if it is one.
std::vector<std::string> system_files(const Arguments& arguments, const std::string& option);

}  // namespace waferloom::cli
