#pragma once

#include <string>

namespace waferloom::cli {

/// Throws Failure::usage with the list and a suggestion unless it names a strategy of the placer.
void check_strategy(const std::string& strategy);

}  // namespace waferloom::cli
