#pragma once

#include "cli/options/arguments.h"

namespace waferloom::cli {

// The forms of simulate; each answers the exit code.
int simulate_messages(const Arguments& arguments);
int simulate_placement(const Arguments& arguments);
int simulate_workload(const Arguments& arguments);

}  // namespace waferloom::cli
