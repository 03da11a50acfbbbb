#include "model/report.h"
#include "model/text.h"
#include "planner/serving.h"

namespace waferloom::planner {
namespace {

constexpr double kMilli = 1e-3;

}  // namespace

ServingFindings run_serving_job(const ServingJob& job, bool wants_areas) {
  ServingFindings found;
  found.points = serving_points(job.model, job.system, job.options);
  if (job.draft && !found.points.empty()) {
    Speculation speculation = job.draft->speculation;
    for (std::int64_t window = 1; window <= job.draft->speculation.window; ++window) {
      speculation.window = window;
      found.windows.push_back(speculate({.target = job.model, .draft = job.draft->model},
                                        job.system, job.options, speculation,
                                        found.points.front().tensor));
    }
  }
  if (wants_areas) {
    found.areas = study_area(job.model.layer, paper_area_study(job.system), job.model.kept);
  }
  return found;
}

TextTable serving_table(const ServingFindings& found) {
  TextTable table(
      {"TP", "PP", "TTFT ms", "prefill tok/s", "TPOT ms", "decode tok/s", "GB a chip", "verdict"});
  constexpr double kGiga = 1e9;
  for (const ServingPoint& point : found.points) {
    table.add(
        {std::to_string(point.tensor), std::to_string(point.pipeline),
         significant_text(point.ttft_s / kMilli), significant_text(point.prefill_tokens_per_s),
         significant_text(point.tpot_s / kMilli), significant_text(point.decode_tokens_per_s),
         significant_text(point.memory_bytes / kGiga),
         point.lacks.empty() ? "fits" : "lacks " + point.lacks.substr(0, point.lacks.find(' '))});
  }
  return table;
}

}  // namespace waferloom::planner
