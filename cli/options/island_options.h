#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "cluster/islands.h"

namespace waferloom::cli {

/// How a search by islands is asked for.
struct IslandRequest {
  std::optional<std::size_t> islands;  ///< none: no islands
  std::size_t epochs = optimize::IslandCounts{}.epochs;
  std::string engine = "local";
  std::optional<std::string> run;
  std::optional<std::string> task;
  std::vector<std::string> words;  ///< behind --, for the engine
};
/// --islands, --epochs, --engine, --run and --task; engine_operand() goes with them.
Options<IslandRequest> island_options();

/// Throws Failure::usage for those that need another.
void refuse_islands(const ArgumentValues& values);

/// What they say; nothing without --islands. All inputs of the command have been read. Throws
/// Failure::usage for an engine that is not here.
std::optional<cluster::IslandSearch> island_search(const IslandRequest& request,
                                                   const CommonOptions& common,
                                                   const std::string& command);

}  // namespace waferloom::cli
