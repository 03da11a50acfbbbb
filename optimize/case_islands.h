#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/report.h"
#include "optimize/islands.h"
#include "optimize/optimize.h"

namespace waferloom::optimize {

/// What one search of a case found (optimize_case).
struct CaseFound {
  Placement placement;
  Trial trial;     ///< its best, simulated
  Trial baseline;  ///< what it began with, simulated
  double roof_per_s = 0;
};

/// A case to search, as optimize_case takes it.
struct CaseJob {
  const Problem& problem;
  const Hardware& hardware;
  const CaseSearchOptions& options;
  const sim::SimulateOptions& simulation;
};

/// What became of a search: what it found, or why there is nothing.
struct CaseEnd {
  std::optional<CaseFound> found{};
  std::string infeasible{};
};

/// What became of the tasks of an epoch, in their order; nothing where a task was lost.
using CaseEnds = std::vector<std::optional<CaseEnd>>;
/// Runs the tasks of an epoch, wherever that is. What a task gives must follow from the task alone.
using CaseEpochEngine = std::function<CaseEnds(const std::vector<IslandTask>& tasks)>;

/// Islands (optimize/islands.h) that each optimise the case: the best is that of most samples per
/// second in simulation, of equals that of the lowest island. The first island begins as
/// optimize_case does, so the result is never slower than what that gives; its baseline is the
/// result's. Candidates are what the tasks found. Effort rules. Ends early where no placement can
/// be 0.2 % faster. Throws SearchEnded if no island found anything, with what the first one says.
OptimizedCase optimize_case_islands(const CaseJob& job, const SearchControl& control,
                                    const IslandCounts& counts, const CaseEpochEngine& engine);

/// The engine of this machine: the tasks of an epoch side by side on the control's threads. Throws
/// what optimize_case does for hardware. Both have to live longer.
CaseEpochEngine case_engine_here(const CaseJob& job, const SearchControl& control,
                                 const IslandCounts& counts);

/// Does one task of optimize_case_islands, where others do the rest: `before` gives what became of
/// the epochs before. Nothing where the run ends before that epoch, or a signal cut it. Throws what
/// optimize_case does for hardware.
std::optional<CaseEnd> case_island_task(const CaseJob& job, const SearchControl& control,
                                        const IslandCounts& counts, const IslandTurn& turn,
                                        const CaseEpochEngine& before);

/// What became of a task, schema waferloom/case_island/1. The same bytes wherever the task ran. The
/// key `whole` is left to who puts it into a folder.
std::string case_island_record(const IslandTurn& turn, const Problem& problem, const CaseEnd& end);
std::string case_island_schema();

/// Reads it back, with the key `whole`. Throws InputError, which names `source`, for what is none,
/// and for a placement that is not legal in the problem.
CaseEnd read_case_island_record(std::string_view text, const std::string& source,
                                const Problem& problem);

}  // namespace waferloom::optimize
