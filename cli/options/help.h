#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"

namespace waferloom::cli {

/// Help of one command, at most 80 columns wide.
std::string command_help(const Command& command);

/// Help of the program: its commands and what they have in common.
std::string program_help(const std::vector<const Command*>& commands);

/// The command's first example, in quotes; where a network is given, the first one of a network,
/// with its name.
std::string example_for(const Command& command, const ArgumentValues& values);

}  // namespace waferloom::cli
