#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"

namespace waferloom::cli {

/// What `hardware NAME|FILE` prints: a line for each part of the machine, of a tile and of all
/// tiles that are not dead, and the keys that the file leaves to their defaults; of chips what each
/// has, and what joins them.
std::string machine_summary(const Machine& machine);

/// What `hardware` prints: a row for each fabric, and one for each machine of several chips.
std::string machines_table(const std::vector<Machine>& machines);

}  // namespace waferloom::cli
