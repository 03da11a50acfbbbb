#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text_table.h"
#include "planner/design_space.h"
#include "viz/table_heat_map.h"

namespace waferloom::cli {

// What `model sweep` tells.

/// What a picture shows.
enum class SweepQuantity : std::uint8_t { utilisation, cost, power, time };
inline constexpr std::array<std::string_view, 4> kSweepQuantityNames{"utilisation", "cost", "power",
                                                                     "time"};

struct SweepJob {
  std::string name;
  planner::DesignWork work{};
  std::optional<planner::DesignWorkload> known{};  ///< one of the paper's
  planner::Objective objective = planner::Objective::time;
  SweepQuantity quantity = SweepQuantity::utilisation;
  std::optional<System> system{};  ///< none: the design space
  planner::ChipExecution execution = planner::ChipExecution::dataflow;
  std::size_t top = 10;
};

/// Throws Failure::usage, "--objective: S does not say its price_usd", for a system whose plans are
/// all equals by it (missing_for).
void check_objective(planner::Objective objective, const System& system);

// Of the 80 systems. The table has everything; summaries show as much of it as 80 columns hold.
TextTable design_table(const std::vector<planner::DesignResult>& results);
std::string design_summary(const SweepJob& job, const std::vector<planner::DesignResult>& results);
Json design_report(const SweepJob& job, const std::vector<planner::DesignResult>& results);
/// Chips, memories and links down, topologies across; the best is framed.
viz::TableHeatMap design_heat_map(const SweepJob& job,
                                  const std::vector<planner::DesignResult>& results);

// Of the plans of a transformer on one system, ranked.
TextTable plans_table(const std::vector<planner::SystemPlan>& plans, std::size_t top);
std::string plans_summary(const SweepJob& job, const std::vector<planner::SystemPlan>& plans);
Json plans_report(const SweepJob& job, const std::vector<planner::SystemPlan>& plans);

// Of something else on one system.
std::string result_summary(const SweepJob& job, const planner::DesignResult& result);
Json result_report(const SweepJob& job, const planner::DesignResult& result);

}  // namespace waferloom::cli
