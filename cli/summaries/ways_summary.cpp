#include "cli/summaries/ways_summary.h"

#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

std::string rate_text(const optimize::WaysJob& job, double samples_per_s) {
  const bool serves = job.purpose == optimize::Purpose::serve;
  std::string text = significant_text(samples_per_s) + (serves ? " requests/s" : " samples/s");
  if (job.tokens() > 1) {
    text +=
        ", " + significant_text(samples_per_s * static_cast<double>(job.tokens())) + " tokens/s";
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

std::string ways_summary(const optimize::WaysJob& job, const optimize::Ways& found,
                         const std::string& written) {
  constexpr std::string_view kVerbs[] = {" trains on ", " on ", " is served by "};
  const optimize::PlannedWay& best = found.best();
  std::string text = job.workload.name +
                     std::string(kVerbs[static_cast<std::size_t>(job.purpose)]) + job.machine.name +
                     ": " + rate_text(job, best.samples_per_s) + " by " + best.way +
                     cut_text(found.cut_by) + "\n";
  text += bound_line(best.bottleneck);
  const std::string each = job.purpose == optimize::Purpose::serve ? "request" : "sample";
  if (best.joules) text += summary_line("energy", significant_text(*best.joules) + " J a " + each);
  if (best.usd_s)
    text += summary_line("cost", "$" + significant_text(*best.usd_s) + " of the machine for a " +
                                     each + " a second");
  const std::string upper_bound = job.upper_bound();
  if (!upper_bound.empty()) text += summary_line("upper bound", upper_bound);
  if (found.roof_samples_per_s > 0) {
    std::string roof = "at most " + rate_text(job, found.roof_samples_per_s) +
                       ", if everything did nothing but multiply and add";
    if (const auto ports = found.port_samples_per_s()) {
      roof += "; " + rate_text(job, *ports) + " by the ports for inputs and outputs";
    }
    text += summary_line("roofline", roof);
  }
  text += "\n" + optimize::ways_table(job, found).text() + "\n";
  for (const optimize::PlannedWay& way : found.ways) {
    std::string note = way.is_possible() ? way.note : "not possible: " + way.lacks;
    if (way.is_possible() && way.bottleneck) note += "; " + bottleneck_text(*way.bottleneck);
    text += summary_line(way.way, note);
  }
  if (job.purpose == optimize::Purpose::infer && is_language_model(job.workload)) {
    text += summary_line("answers",
                         "these are rates of prompts; `plan --for serve` plans tokens that "
                         "follow them");
  }
  if (!written.empty()) text += summary_line("plan", written);
  return text;
}

}  // namespace waferloom::cli
