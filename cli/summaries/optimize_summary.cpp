#include "cli/summaries/optimize_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/summaries/islands_summary.h"
#include "cli/summaries/simulation_summary.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "model/text.h"
#include "optimize/report_json.h"
#include "sim/plan_pipeline.h"

namespace waferloom::cli {
namespace {

constexpr int kRateDigits = 6;

std::string trial_text(const optimize::Trial& trial) {
  return significant_text(trial.measured->metrics.samples_per_s, kRateDigits) + " samples/s, " +
         trial.name;
}

std::string verdict_counts(const optimize::OptimizeResult& result) {
  std::size_t measured = 0;
  std::size_t others = 0;
  for (const optimize::Trial& trial : result.trials) ++(trial.measured ? measured : others);
  for (const optimize::PassedOver& group : result.passed_over) others += group.count;
  return fmt::format("{} simulated, {} passed over", measured, others);
}

std::string front_table(const optimize::OptimizeResult& result) {
  constexpr std::size_t kMostShown = 8;
  constexpr std::size_t kLongestName = 40;
  const std::vector<std::size_t> front = optimize::front_of(result.trials);
  TextTable table({"front", "samples/s", "latency", "memory"});
  for (std::size_t i = 0; i < std::min(kMostShown, front.size()); ++i) {
    const optimize::Trial& trial = result.trials[front[i]];
    const optimize::Metrics& metrics = trial.measured->metrics;
    const bool is_long = trial.name.size() > kLongestName;
    table.add({is_long ? trial.name.substr(0, kLongestName - 3) + "..." : trial.name,
               significant_text(metrics.samples_per_s, kRateDigits),
               duration_text(metrics.latency_ps),
               metrics.memory_bytes ? bytes_text(*metrics.memory_bytes, Rounding::up) : ""});
  }
  const std::size_t left = front.size() - std::min(kMostShown, front.size());
  return table.text() + (left > 0 ? fmt::format("and {} more in the report\n", left) : "");
}

/// Contest cost against throughput, where that is more than one placement.
std::string cost_front_table(const optimize::OptimizeResult& result) {
  const std::vector<std::size_t> front = optimize::cost_front_of(result.trials);
  if (front.size() < 2) return "";
  TextTable table({"contest front", "samples/s", "cost"});
  for (const std::size_t at : front) {
    const optimize::Trial& trial = result.trials[at];
    table.add({trial.name, significant_text(trial.measured->metrics.samples_per_s, kRateDigits),
               significant_text(*trial.contest_cost, kRateDigits)});
  }
  return table.text();
}

}  // namespace

std::string measured_bound_line(const optimize::Measured& measured) {
  if (measured.bottleneck) return bound_line(measured.bottleneck);
  return summary_line("bound", measured.bound + ": " + measured.bound_by);
}

std::string optimize_summary(const optimize::OptimizeResult& result, const std::string& folder) {
  const optimize::Trial& best = result.trials[result.best];
  std::string text = result.source + ": optimised, in " + folder + cut_text(result.ended_by) + "\n";
  text += summary_line("best", trial_text(best));
  text += rate_line(best.measured->rate_of);
  if (result.baseline) {
    text += summary_line("baseline", trial_text(result.trials[*result.baseline]));
  }
  if (const std::optional<double> more = optimize::gain(result)) {
    text += summary_line("gain", told_apart(100 * *more, 1, 0) + " %");
  }
  if (const std::optional<double> more = optimize::cost_given_up(result)) {
    text +=
        summary_line("contest cost", significant_text(*best.contest_cost, kRateDigits) + ", " +
                                         significant_text(std::abs(*more), kRateDigits) +
                                         (*more < 0 ? " less" : " more") + " than the baseline's");
  }
  if (best.buffers > Decimal6{0}) {
    text += summary_line(
        "buffers", "room for " + to_string(best.buffers) + " samples an edge in the tiles' memory");
  }
  text += measured_bound_line(*best.measured);
  if (result.roof_per_s) {
    text += summary_line("roof", significant_text(*result.roof_per_s, kRateDigits) +
                                     " samples/s, by computing alone");
  }
  if (best.measured->use) text += tiles_line(*best.measured->use);
  text += summary_line("tried", verdict_counts(result));
  if (result.islands) text += summary_line("islands", islands_text(*result.islands));
  text += summary_line("ended by", result.ended_by);
  return text + front_table(result) + cost_front_table(result);
}

}  // namespace waferloom::cli
