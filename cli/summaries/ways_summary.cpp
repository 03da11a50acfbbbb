#include "cli/summaries/ways_summary.h"

#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

std::string rate_text(const planner::WaferWaysJob& job, double samples_per_s) {
  std::string text = significant_text(samples_per_s) + " samples/s";
  if (job.workload.tokens > 1) {
    text += ", " + significant_text(samples_per_s * static_cast<double>(job.workload.tokens)) +
            " tokens/s";
  }
  return text;
}

bool is_language_model(const Workload& workload) {
  for (const Operator& op : workload.operators) {
    if (std::holds_alternative<HeadOperator>(op.kind)) return true;
  }
  return false;
}

}  // namespace

std::string wafer_ways_summary(const planner::WaferWaysJob& job, const planner::WaferWays& found,
                               const std::string& written) {
  const planner::WaferWay& best = found.ways.front();
  std::string text = job.workload.name + (job.trains ? " trains on " : " on ") + job.hardware.name +
                     ": " + rate_text(job, best.samples_per_s) + " by " + best.way +
                     cut_text(found.cut_by) + "\n";
  text += bound_line(best.bottleneck);
  text += upper_bound_line(job.hardware);
  std::string roof = "at most " + rate_text(job, found.roof_samples_per_s) +
                     ", if all tiles did nothing but multiply and add";
  if (const auto ports = found.port_samples_per_s()) {
    roof += "; " + rate_text(job, *ports) + " by the ports for inputs and outputs";
  }
  text += summary_line("roofline", roof);
  text += "\n" + planner::wafer_ways_table(job, found).text() + "\n";
  for (const planner::WaferWay& way : found.ways) {
    std::string note = way.is_possible() ? way.note : "not possible: " + way.lacks;
    if (way.is_possible() && way.bottleneck) note += "; " + bottleneck_text(*way.bottleneck);
    text += summary_line(way.way, note);
  }
  if (!job.trains && is_language_model(job.workload)) {
    text += summary_line("answers",
                         "these are rates of prompts; `plan --serve` plans tokens that "
                         "follow them");
  }
  if (!written.empty()) text += summary_line("plan", written);
  return text;
}

}  // namespace waferloom::cli
