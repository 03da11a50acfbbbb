#pragma once

#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "model/hardware.h"

namespace waferloom::cli {

/// What --hardware says, or its default.
std::string hardware_name(const Arguments& arguments);
/// The same for a network, whose default is another: cases' has no rates of FLOP.
std::string network_hardware_name(const Arguments& arguments);
/// The hardware of --hardware NAME|FILE: a preset if there is one of that name. Throws Failure.
Hardware read_hardware_option(const Arguments& arguments);
Hardware read_network_hardware_option(const Arguments& arguments);
/// The file that it is read from, if it is one.
std::vector<std::string> hardware_files(const Arguments& arguments);

}  // namespace waferloom::cli
