#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/task_array.h"
#include "model/report.h"
#include "optimize/case_islands.h"
#include "optimize/islands.h"
#include "optimize/placer_run.h"

namespace waferloom::cluster {

/// Of a search.
inline constexpr std::uint64_t kMostIslands = 1'000;

/// All that the results of islands follow from: run.json of their folder, schema
/// waferloom/islands_run/1.
struct IslandsRun {
  std::string program{};  ///< its version
  std::string command{};  ///< "place" or "optimize"
  optimize::IslandCounts counts{};
  std::uint64_t seed = 0;
  std::int64_t effort = 0;
  /// Operands and options as they were given, by name, but those that change no result.
  std::map<std::string, std::vector<std::string>> options{};
  std::vector<InputFacts> inputs{};
};
std::string islands_run_schema();
/// Of closed.json of an epoch.
std::string islands_closed_schema();

/// How islands are searched, and where.
struct IslandSearch {
  optimize::IslandCounts counts;
  std::string engine = "local";                ///< "local", "parallel" or "slurm"
  std::string folder{};                        ///< of the other engines
  IslandsRun identity{};                       ///< what its run.json says
  std::optional<optimize::IslandTurn> task{};  ///< this one alone
  std::vector<std::string> task_words{};       ///< a task's command line, its number left out
  std::vector<std::string> extra{};            ///< words for the engine
  bool quiet = false;                          ///< what tasks print is not wanted
};

/// Places by islands, on the engine of the search. `note` hears of jobs and of lost tasks. Throws
/// EngineError if the engine refuses, and for an epoch without any result; InputError for a folder
/// that is of another run or cannot be written.
optimize::PlacerOutcome place_by_islands(const optimize::PlacerRun& run,
                                         const optimize::SearchControl& control,
                                         const IslandSearch& search, const Note& note);

/// Does the task of the search, which names one, unless it is done or its epoch closed. Says what
/// became of it: "RUN/results/epoch-1/island-2.json is written". Throws RunCut, and writes nothing
/// then.
std::string place_island_task(const optimize::PlacerRun& run,
                              const optimize::SearchControl& control, const IslandSearch& search);

/// Optimises a case by islands, as place_by_islands.
optimize::OptimizedCase optimize_by_islands(const optimize::CaseJob& job,
                                            const optimize::SearchControl& control,
                                            const IslandSearch& search, const Note& note);

/// As place_island_task.
std::string case_island_task(const optimize::CaseJob& job, const optimize::SearchControl& control,
                             const IslandSearch& search);

}  // namespace waferloom::cluster
