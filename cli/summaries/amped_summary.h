#pragma once

#include <string>

#include "planner/amped.h"
#include "viz/table_heat_map.h"

namespace waferloom::cli {

/// What it tells on stdout, in 80 columns.
std::string amped_summary(const planner::AmpedJob& job, const planner::AmpedExploration& found);
/// Times, in days of a training or seconds of a batch. Throws RequestError for more
/// degrees than a picture has room for.
viz::TableHeatMap amped_heat_map(const planner::AmpedJob& job,
                                 const planner::AmpedExploration& found);

}  // namespace waferloom::cli
