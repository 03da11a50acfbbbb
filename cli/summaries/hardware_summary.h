#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"

namespace waferloom::cli {

/// What `hardware NAME|FILE` prints: a line for each part of the machine, of a tile and of all
/// tiles that are not dead, and the keys that the file leaves to their defaults.
std::string hardware_summary(const Hardware& hardware);

/// What `hardware` prints: a row for each.
std::string hardware_table(const std::vector<Hardware>& machines);

}  // namespace waferloom::cli
