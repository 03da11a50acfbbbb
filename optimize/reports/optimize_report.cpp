#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/mesh.h"
#include "model/text.h"
#include "optimize/report_json.h"
#include "optimize/search/run_report.h"
#include "optimize/trial.h"

namespace waferloom::optimize {
namespace {

constexpr int kDigits = 6;

Json measured_json(const std::optional<Measured>& measured) {
  if (!measured) return nullptr;
  const Metrics& metrics = measured->metrics;
  return {{"samples_per_s", rounded(metrics.samples_per_s)},
          {"latency_ps", metrics.latency_ps},
          {"memory_bytes", metrics.memory_bytes ? Json(*metrics.memory_bytes) : Json(nullptr)},
          {"bound", measured->bound},
          {"bound_by", measured->bound_by},
          {"bottleneck", bottleneck_json(measured->bottleneck)},
          {"samples", measured->samples},
          {"steady", measured->steady},
          {"rate_of", sim::rate_name(measured->steady)},
          {"use", measured->use ? sim::tile_use_json(*measured->use) : Json(nullptr)}};
}

Json cost_json(const Trial& trial) {
  return trial.contest_cost ? Json(rounded(*trial.contest_cost)) : Json(nullptr);
}

Json trial_json(const Trial& trial, bool on_front) {
  Json json;
  json["name"] = trial.name;
  json["description"] = trial.description;
  json["promised_per_s"] =
      trial.promised_per_s ? Json(rounded(*trial.promised_per_s)) : Json(nullptr);
  json["promised_by"] = trial.promise.empty() ? Json(nullptr) : Json(trial.promise);
  json["contest_cost"] = cost_json(trial);
  json["measured"] = measured_json(trial.measured);
  json["on_front"] = on_front;
  json["verdict"] = verdict_name(trial.verdict);
  json["reason"] = trial.reason;
  return json;
}

double rate(const OptimizeResult& result, std::size_t at) {
  return result.trials[at].measured->metrics.samples_per_s;
}

}  // namespace

std::optional<double> gain(const OptimizeResult& result) {
  if (!result.baseline || !result.trials[*result.baseline].measured) return std::nullopt;
  return rate(result, result.best) / rate(result, *result.baseline) - 1;
}

std::optional<double> cost_given_up(const OptimizeResult& result) {
  if (!result.baseline) return std::nullopt;
  const std::optional<double>& best = result.trials[result.best].contest_cost;
  const std::optional<double>& first = result.trials[*result.baseline].contest_cost;
  if (!best || !first) return std::nullopt;
  return *best - *first;
}

Json optimize_json(const OptimizeResult& result, const Hardware& hardware,
                   const sim::SimulateOptions& options, const SearchControl& control,
                   const std::vector<std::string>& warnings) {
  const std::vector<std::size_t> front = front_of(result.trials);
  Json report = new_report("optimize");
  report["subject"] = result.subject;
  report["source"] = result.source;
  report["hardware"] = hardware.name;
  report["network"] = sim::network_name(options.network);
  report["routing"] = routing_name(options.routing);
  report["seed"] = control.seed;
  report["effort"] = effort_json(control);
  report["time_limit_s"] = time_limit_json(control);
  report["best"] = result.trials[result.best].name;
  report["samples_per_s"] = rounded(rate(result, result.best));
  report["rate_of"] = sim::rate_name(result.trials[result.best].measured->steady);
  report["baseline"] = result.baseline ? Json(result.trials[*result.baseline].name) : Json(nullptr);
  report["roof_per_s"] = result.roof_per_s ? Json(rounded(*result.roof_per_s)) : Json(nullptr);
  const std::optional<double> more = gain(result);
  report["gain"] = more ? Json(rounded(*more)) : Json(nullptr);
  report["contest_cost"] = cost_json(result.trials[result.best]);
  const std::optional<double> given_up = cost_given_up(result);
  report["contest_cost_given_up"] = given_up ? Json(rounded(*given_up)) : Json(nullptr);
  report["rounds"] = result.rounds;
  report["ended_by"] = result.ended_by;
  if (result.islands) report["islands"] = islands_json(*result.islands);
  report["front"] = Json::array();
  for (const std::size_t at : front) report["front"].push_back(result.trials[at].name);
  report["contest_front"] = Json::array();
  for (const std::size_t at : cost_front_of(result.trials)) {
    report["contest_front"].push_back({{"name", result.trials[at].name},
                                       {"contest_cost", cost_json(result.trials[at])},
                                       {"samples_per_s", rounded(rate(result, at))}});
  }
  report["candidates"] = Json::array();
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    const bool on_front = std::binary_search(front.begin(), front.end(), i);
    report["candidates"].push_back(trial_json(result.trials[i], on_front));
  }
  report["passed_over"] = Json::array();
  for (const PassedOver& group : result.passed_over) {
    report["passed_over"].push_back(
        {{"reason", group.reason}, {"count", group.count}, {"example", group.example}});
  }
  report["warnings"] = warnings;
  return report;
}

}  // namespace waferloom::optimize
