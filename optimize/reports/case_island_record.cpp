#include <nlohmann/json.hpp>

#include "optimize/case_islands.h"
#include "optimize/reports/record_text.h"

namespace waferloom::optimize {
namespace {

/// A simulated trial. Numbers are not rounded: what goes on from here compares exactly.
Json trial_json(const Trial& trial) {
  const Measured& measured = *trial.measured;
  const Metrics& metrics = measured.metrics;
  return {{"name", trial.name},
          {"description", trial.description},
          {"promised_per_s", trial.promised_per_s ? Json(*trial.promised_per_s) : Json(nullptr)},
          {"promised_by", trial.promise},
          {"contest_cost", trial.contest_cost ? Json(*trial.contest_cost) : Json(nullptr)},
          {"samples_per_s", metrics.samples_per_s},
          {"latency_ps", metrics.latency_ps},
          {"memory_bytes", metrics.memory_bytes ? Json(*metrics.memory_bytes) : Json(nullptr)},
          {"bound", measured.bound},
          {"bound_by", measured.bound_by},
          {"bottleneck", exact_bottleneck_json(measured.bottleneck)},
          {"samples", measured.samples},
          {"steady", measured.steady}};
}

template <typename Number>
std::optional<Number> number_or_none(const Json& json, const char* key) {
  if (json.at(key).is_null()) return std::nullopt;
  return json.at(key).get<Number>();
}

Trial trial_of(const Json& json) {
  Trial trial;
  trial.name = json.at("name").get<std::string>();
  trial.description = json.at("description").get<std::string>();
  trial.promised_per_s = number_or_none<double>(json, "promised_per_s");
  trial.promise = json.at("promised_by").get<std::string>();
  trial.contest_cost = number_or_none<double>(json, "contest_cost");
  Measured& measured = trial.measured.emplace();
  measured.metrics.samples_per_s = json.at("samples_per_s").get<double>();
  measured.metrics.latency_ps = json.at("latency_ps").get<std::int64_t>();
  measured.metrics.memory_bytes = number_or_none<std::int64_t>(json, "memory_bytes");
  measured.bound = json.at("bound").get<std::string>();
  measured.bound_by = json.at("bound_by").get<std::string>();
  measured.bottleneck = read_bottleneck(json.at("bottleneck"));
  measured.samples = json.at("samples").get<std::int64_t>();
  measured.steady = json.at("steady").get<bool>();
  trial.verdict = Verdict::slower;
  return trial;
}

}  // namespace

Json case_island_record(const IslandTurn& turn, const Problem& problem, const CaseEnd& end) {
  Json json = new_report("case_island");
  json["epoch"] = turn.epoch + 1;
  json["island"] = turn.island + 1;
  if (!end.found) {
    json["infeasible"] = end.infeasible;
    return json;
  }
  const CaseFound& found = *end.found;
  json["roof_per_s"] = found.roof_per_s;
  json["best"] = trial_json(found.trial);
  json["baseline"] = trial_json(found.baseline);
  json["solution"] = verified(problem, found.placement, score(problem, found.placement)).text;
  return json;
}

CaseEnd read_case_island_record(std::string_view text, const std::string& source,
                                const Problem& problem) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "waferloom/case_island/1") refuse_record(source, "another schema");
    if (json.contains("infeasible")) return {{}, json.at("infeasible").get<std::string>()};
    const std::string solution = json.at("solution").get<std::string>();
    CaseFound found;
    found.placement = recorded_placement(solution, source, problem).placement;
    found.trial = trial_of(json.at("best"));
    found.baseline = trial_of(json.at("baseline"));
    found.roof_per_s = json.at("roof_per_s").get<double>();
    return {std::move(found), ""};
  } catch (const Json::exception&) {
    refuse_record(source, "something else");
  }
}

}  // namespace waferloom::optimize
