#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.h"

namespace waferloom::cli {

/// The command of that name, "place" or "model amped"; null if there is none.
const Command* command_named(const std::string& name);

/// The names of all commands, in the order of help.
std::vector<std::string_view> command_names();

/// Runs a command line from the words behind the program's name to the exit code. Prints results,
/// and what went wrong.
int run_program(const Invocation& invocation);

}  // namespace waferloom::cli
