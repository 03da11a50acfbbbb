#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console/warnings.h"
#include "cli/options/arguments.h"
#include "model/hardware.h"

namespace waferloom::cli {

/// The system of an option --NAME: a preset if there is one of that name, otherwise a file; the
/// option's default where it is not given. Throws Failure.
System read_system_option(const Arguments& arguments, const std::string& option);
/// The file that it is read from, if it is one.
std::vector<std::string> system_files(const Arguments& arguments, const std::string& option);

/// Warns of keys of a system's file that a command does not read, in one line. A preset serves all
/// commands, so nothing is said of it.
void warn_of_unread_keys(const Arguments& arguments, const std::string& option,
                         const System& system, const std::vector<std::string_view>& read,
                         Warnings& warnings);

}  // namespace waferloom::cli
