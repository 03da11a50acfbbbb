#pragma once

#include <string>
#include <string_view>

#include "model/problem.h"
#include "model/report.h"
#include "optimize/islands.h"

namespace waferloom::optimize {

/// What became of a task of islands that place, schema waferloom/island/1: enough to go on from
/// elsewhere. The same bytes wherever the task ran.
Json island_record(const IslandTurn& turn, const Problem& problem, const PlacerOutcome& outcome);

/// Reads it back. Throws InputError, which names `source`, for what is none, and for a placement
/// that is not legal in the problem.
PlacerOutcome read_island_record(std::string_view text, const std::string& source,
                                 const Problem& problem);

}  // namespace waferloom::optimize
