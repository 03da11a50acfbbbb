#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/hardware.h"

namespace waferloom::cli {

/// The system that --OPTION names: a preset if there is one of that name, otherwise a file. Throws
/// Failure.
System read_system_named(const std::string& name, const std::string& option,
                         const CommonOptions& common);
/// The file that it is read from, if it is one.
std::vector<std::string> system_inputs(const std::string& name);
/// Warns of keys of a system's file that a command does not read, in one line. A preset serves all
/// commands, so nothing is said of it.
void warn_of_unread_keys(const std::string& name, const System& system,
                         const std::vector<std::string_view>& read, Warnings& warnings);

}  // namespace waferloom::cli
