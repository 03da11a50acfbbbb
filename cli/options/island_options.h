#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cluster/islands.h"

namespace waferloom::cli {

/// --islands, --epochs, --engine, --run and --task; engine_operand() goes with them.
std::vector<OptionSpec> island_options();

/// Throws Failure::usage for those that need another.
void refuse_islands(const ArgumentValues& values);

/// What they say; nothing without --islands. All inputs of the command have been read. Throws
/// Failure::usage for an engine that is not here.
std::optional<cluster::IslandSearch> island_search(const Arguments& arguments,
                                                   const std::string& command);

}  // namespace waferloom::cli
