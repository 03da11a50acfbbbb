#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/problem.h"
#include "model/report.h"
#include "optimize/islands.h"
#include "optimize/optimize.h"
#include "optimize/placer_run.h"
#include "optimize/plan.h"
#include "optimize/run_control.h"
#include "sim/simulate.h"

namespace waferloom::optimize {

// What placements, searches, plans and tasks of islands found, as JSON.

/// A case, and where it was read.
struct PlacedCase {
  const Problem& problem;
  std::string source;
};

/// A report of schema waferloom/place/1. The outcome has a placement.
Report place_report(const PlacedCase& placed, const PlacerOutcome& outcome,
                    const SearchControl& control, const std::vector<std::string>& warnings);
std::string place_schema();

/// A report of schema waferloom/optimize/1; the same bytes at any number of threads.
Report optimize_report(const OptimizeResult& result, const Hardware& hardware,
                       const sim::SimulateOptions& options, const SearchControl& control,
                       const std::vector<std::string>& warnings);
std::string optimize_schema();

/// What the contest's cost of the best is above the baseline's; nothing without one, or of
/// networks.
std::optional<double> cost_given_up(const OptimizeResult& result);

/// By what part of the baseline the best is faster; nothing without a simulated baseline.
std::optional<double> gain(const OptimizeResult& result);

/// A report of schema waferloom/planned/1.
Report planned_report(const PlanFindings& found, const PlanJob& job, const PlanGround& ground,
                      const planner::PlanSpace& space, const SearchControl& control,
                      const std::vector<std::string>& warnings);
std::string planned_schema();

/// What a simulation counts in a part that the model does not, or, if not `more`, the other way
/// round. Each sentence says what the two take into account, not what happened; `bound_by` is what
/// was seen.
std::string why_parts_differ(planner::BatchPart part, bool more, const sim::PlanReport& report);

/// What became of a task of islands that place, schema waferloom/island/1: enough to go on from
/// elsewhere. The same bytes wherever the task ran. The key `whole` is left to who puts it into a
/// folder.
std::string island_record(const IslandTurn& turn, const Problem& problem,
                          const PlacerOutcome& outcome);
std::string island_schema();

/// Reads it back, with the key `whole`. Throws InputError, which names `source`, for what is none,
/// and for a placement that is not legal in the problem.
PlacerOutcome read_island_record(std::string_view text, const std::string& source,
                                 const Problem& problem);

}  // namespace waferloom::optimize
