#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/report.h"
#include "planner/design_space.h"
#include "viz/table_heat_map.h"

namespace waferloom::cli {

// What `model systems` tells.

/// Throws Failure::usage, "--objective: S does not say its price_usd", for a system whose plans are
/// all equals by it (missing_for).
void check_objective(planner::Objective objective, const System& system);

// Of the 80 systems. The table has everything; summaries show as much of it as 80 columns hold.
TextTable design_table(const std::vector<planner::DesignResult>& results);
std::string design_summary(const planner::SystemsJob& job,
                           const std::vector<planner::DesignResult>& results);
/// Chips, memories and links down, topologies across; the best is framed.
viz::TableHeatMap design_heat_map(const planner::SystemsJob& job,
                                  const std::vector<planner::DesignResult>& results);

/// Of the plans of a network on one system, ranked.
std::string plans_summary(const planner::SystemsJob& job,
                          const std::vector<planner::SystemPlan>& plans);

}  // namespace waferloom::cli
