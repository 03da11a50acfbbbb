#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/system.h"
#include "planner/serving.h"
#include "planner/speculative.h"
#include "planner/stacked_memory.h"

namespace waferloom::cli {

/// A draft model and how it is used.
struct Draft {
  planner::ServedModel model;
  planner::Speculation speculation;
};

/// All that the command works out.
struct ServingJob {
  planner::ServedModel model;
  System system;
  planner::ServingOptions options{};
  std::optional<Draft> draft{};
};

struct ServingFindings {
  std::vector<planner::ServingPoint> points{};
  std::vector<planner::SpeculationTime> windows{};  ///< 1, 2, … tokens
  std::vector<planner::AreaCurve> areas{};          ///< none: not asked for
};

/// model/schemas/serving.schema.json.
Json serving_report(const ServingJob& job, const ServingFindings& found);
/// Tables of TP and PP, of layers, and of what else was asked for.
std::string serving_summary(const ServingJob& job, const ServingFindings& found);
/// The table of TP and PP.
std::string serving_csv(const ServingFindings& found);

}  // namespace waferloom::cli
