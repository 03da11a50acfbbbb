#pragma once

#include <optional>
#include <vector>

#include "cli/options/arguments.h"
#include "optimize/islands.h"

namespace waferloom::cli {

/// --islands, --epochs and --engine.
std::vector<OptionSpec> island_options();

/// Throws Failure::usage for --epochs and --engine without --islands.
void refuse_islands(const ArgumentValues& values);

/// What they say; nothing without --islands.
std::optional<optimize::IslandCounts> island_counts(const Arguments& arguments);

}  // namespace waferloom::cli
