#include "cli/summaries/optimize_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/console/version.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/simulation_report.h"
#include "cli/summaries/summary_lines.h"
#include "cli/summaries/text_table.h"
#include "optimize/run_report.h"
#include "sim/plan_memory.h"

namespace waferloom::cli {
namespace {

double rounded(double value) { return std::stod(optimize::short_number(value)); }

Json measured_json(const std::optional<optimize::Measured>& measured) {
  if (!measured) return nullptr;
  const optimize::Worth& worth = measured->worth;
  return {{"samples_per_s", rounded(worth.samples_per_s)},
          {"latency_ps", worth.latency_ps},
          {"memory_bytes", worth.memory_bytes ? Json(*worth.memory_bytes) : Json(nullptr)},
          {"bound", measured->bound},
          {"bound_by", measured->bound_by},
          {"samples", measured->samples},
          {"steady", measured->steady}};
}

Json trial_json(const optimize::Trial& trial, bool on_front) {
  Json json;
  json["name"] = trial.name;
  json["description"] = trial.description;
  json["promised_per_s"] =
      trial.promised_per_s ? Json(rounded(*trial.promised_per_s)) : Json(nullptr);
  json["promised_by"] = trial.promise.empty() ? Json(nullptr) : Json(trial.promise);
  json["measured"] = measured_json(trial.measured);
  json["on_front"] = on_front;
  json["verdict"] = optimize::verdict_name(trial.verdict);
  json["reason"] = trial.reason;
  return json;
}

double rate(const optimize::OptimizeResult& result, std::size_t at) {
  return result.trials[at].measured->worth.samples_per_s;
}

/// Faster than the baseline by this part of it.
std::optional<double> gain(const optimize::OptimizeResult& result) {
  if (!result.baseline || !result.trials[*result.baseline].measured) return std::nullopt;
  return rate(result, result.best) / rate(result, *result.baseline) - 1;
}

std::string rate_line(const optimize::Trial& trial) {
  return optimize::short_number(trial.measured->worth.samples_per_s) + " samples/s, " + trial.name;
}

std::string verdict_counts(const optimize::OptimizeResult& result) {
  std::size_t measured = 0;
  std::size_t others = 0;
  for (const optimize::Trial& trial : result.trials) ++(trial.measured ? measured : others);
  for (const optimize::PassedOver& group : result.passed_over) others += group.count;
  return std::to_string(measured) + " simulated, " + std::to_string(others) + " passed over";
}

/// A line of a summary, broken behind commas where it has more than 80 columns.
std::string wrapped_line(const std::string& label, const std::string& text) {
  constexpr std::size_t kColumns = 68;  // beside the label
  if (text.size() <= kColumns) return summary_line(label, text);
  const std::size_t comma = text.rfind(", ", kColumns - 1);
  if (comma == std::string::npos) return summary_line(label, text);
  return summary_line(label, text.substr(0, comma + 1)) + wrapped_line("", text.substr(comma + 2));
}

std::string front_table(const optimize::OptimizeResult& result) {
  constexpr std::size_t kMostShown = 8;
  constexpr std::size_t kLongestName = 40;
  const std::vector<std::size_t> front = optimize::front_of(result.trials);
  TextTable table({"front", "samples/s", "latency", "memory"});
  for (std::size_t i = 0; i < std::min(kMostShown, front.size()); ++i) {
    const optimize::Trial& trial = result.trials[front[i]];
    const optimize::Worth& worth = trial.measured->worth;
    const bool is_long = trial.name.size() > kLongestName;
    table.add({is_long ? trial.name.substr(0, kLongestName - 3) + "..." : trial.name,
               optimize::short_number(worth.samples_per_s), duration_text(worth.latency_ps),
               worth.memory_bytes ? bytes_text(*worth.memory_bytes, sim::RoundBytes::up) : ""});
  }
  const std::size_t left = front.size() - std::min(kMostShown, front.size());
  return table.text() + (left > 0 ? "and " + std::to_string(left) + " more in the report\n" : "");
}

}  // namespace

Json optimize_json(const optimize::OptimizeResult& result, const Hardware& hardware,
                   const sim::SimulateOptions& options, const CommonOptions& common,
                   const Warnings& warnings) {
  const std::vector<std::size_t> front = optimize::front_of(result.trials);
  Json report = new_report("optimize");
  report["subject"] = result.subject;
  report["source"] = result.source;
  report["hardware"] = hardware.name;
  report["network"] = sim::network_name(options.network);
  report["routing"] = routing_name(options.routing);
  report["seed"] = common.seed;
  report["effort"] = optimize::effort_json(search_control(common));
  report["time_limit_s"] = optimize::time_limit_json(search_control(common));
  report["best"] = result.trials[result.best].name;
  report["samples_per_s"] = rounded(rate(result, result.best));
  report["baseline"] = result.baseline ? Json(result.trials[*result.baseline].name) : Json(nullptr);
  const std::optional<double> more = gain(result);
  report["gain"] = more ? Json(rounded(*more)) : Json(nullptr);
  report["rounds"] = result.rounds;
  report["ended_by"] = result.ended_by;
  report["front"] = Json::array();
  for (const std::size_t at : front) report["front"].push_back(result.trials[at].name);
  report["candidates"] = Json::array();
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    const bool on_front = std::binary_search(front.begin(), front.end(), i);
    report["candidates"].push_back(trial_json(result.trials[i], on_front));
  }
  report["passed_over"] = Json::array();
  for (const optimize::PassedOver& group : result.passed_over) {
    report["passed_over"].push_back(
        {{"reason", group.reason}, {"count", group.count}, {"example", group.example}});
  }
  report["version"] = program_version();
  report["warnings"] = warnings.texts();
  return report;
}

std::string optimize_summary(const optimize::OptimizeResult& result, const std::string& folder) {
  const optimize::Trial& best = result.trials[result.best];
  std::string text = result.source + ": optimised, in " + folder + "\n";
  text += wrapped_line("best", rate_line(best));
  if (result.baseline) {
    text += wrapped_line("baseline", rate_line(result.trials[*result.baseline]));
  }
  if (const std::optional<double> more = gain(result)) {
    text += summary_line("gain", told_apart(100 * *more, 1, 0) + " %");
  }
  text += summary_line("bound", best.measured->bound + ": " + best.measured->bound_by);
  text += summary_line("tried", verdict_counts(result));
  text += summary_line("ended by", result.ended_by);
  return text + front_table(result);
}

}  // namespace waferloom::cli
