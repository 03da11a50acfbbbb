#pragma once

#include <string>

#include "optimize/placer_run.h"

namespace waferloom::cli {

/// "island 2 of 8 in epoch 3 of 3, 1 task lost".
std::string islands_text(const optimize::IslandNote& note);

}  // namespace waferloom::cli
