#pragma once

#include <optional>
#include <vector>

#include "model/report.h"
#include "model/system.h"
#include "model/text_table.h"
#include "planner/serving.h"
#include "planner/speculative.h"
#include "planner/stacked_memory.h"

namespace waferloom::planner {

/// A draft model and how it is used.
struct Draft {
  ServedModel model;
  Speculation speculation;
};

/// A model, served by a system.
struct ServingJob {
  ServedModel model;
  System system;
  ServingOptions options{};
  std::optional<Draft> draft{};
};

/// What comes of it.
struct ServingFindings {
  std::vector<ServingPoint> points{};
  std::vector<SpeculationTime> windows{};  ///< 1, 2, … tokens
  std::vector<AreaCurve> areas{};          ///< none: not asked for
};

/// Points of TP and PP, windows of speculation up to the draft's, and, if wanted, the study of
/// areas. Throws RequestError as the three do.
ServingFindings run_serving_job(const ServingJob& job, bool wants_areas);

/// A report of schema waferloom/serving/1.
Json serving_json(const ServingJob& job, const ServingFindings& found);
/// The table of TP and PP.
TextTable serving_table(const ServingFindings& found);

}  // namespace waferloom::planner
