#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/islands/island_folder.h"
#include "cli/options/arguments.h"
#include "optimize/islands.h"

namespace waferloom::cli {

/// What the command line says of islands.
struct IslandRequest {
  optimize::IslandCounts counts;
  std::string engine = "local";
  std::string folder{};                        ///< of the other engines
  std::optional<optimize::IslandTurn> task{};  ///< this one alone
  std::vector<std::string> task_words{};       ///< a task's command line, its number left out
  std::vector<std::string> extra{};            ///< words for the engine
  bool quiet = false;                          ///< what tasks print is not wanted
  std::string command{};
  ArgumentValues options{};  ///< of the command line, as far as results follow from them
};

/// --islands, --epochs, --engine, --run and --task; engine_operand() goes with them.
std::vector<OptionSpec> island_options();

/// Throws Failure::usage for those that need another.
void refuse_islands(const ArgumentValues& values);

/// What they say; nothing without --islands. Throws Failure::usage for an engine that is not here.
std::optional<IslandRequest> island_request(const Arguments& arguments, const std::string& command);

/// The folder of a request whose inputs have all been read.
IslandFolder island_folder(const IslandRequest& request, const CommonOptions& common);

}  // namespace waferloom::cli
