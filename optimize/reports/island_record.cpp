#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/errors.h"
#include "model/placement.h"
#include "model/text.h"
#include "optimize/report_json.h"
#include "optimize/reports/record_text.h"

namespace waferloom::optimize {
namespace {

constexpr std::array kReasons{placer::StopReason::effort, placer::StopReason::optimal,
                              placer::StopReason::time_limit, placer::StopReason::interrupted};
constexpr std::array<const char*, 3> kDecided{"area+edges", "chains", "blocks"};

placer::StopReason stop_reason(const std::string& name, const std::string& source) {
  for (const placer::StopReason reason : kReasons) {
    if (name == placer::stop_reason_name(reason)) return reason;
  }
  refuse_record(source, "stopped_by " + name);
}

placer::Bounds bounds_of(const Json& json, const std::string& source) {
  placer::Bounds bounds;
  bounds.time = json.at("time").get<std::int64_t>();
  const auto total = parse_whole_text(json.at("total").get<std::string>());
  if (!total) refuse_record(source, "a bound that is no whole number");
  bounds.total = *total;
  const auto decided = json.at("decided_by").get<std::string>();
  for (const char* name : kDecided) {
    if (decided == name) bounds.decided_by = name;
  }
  return bounds;
}

PlacerOutcome outcome_of(const Json& json, const std::string& source, const Problem& problem) {
  if (json.at("schema") != "waferloom/island/1") refuse_record(source, "another schema");
  PlacerOutcome outcome;
  placer::PlaceResult& result = outcome.result;
  result.strategy = json.at("strategy").get<std::string>();
  result.stopped_by = stop_reason(json.at("stopped_by").get<std::string>(), source);
  result.bounds = bounds_of(json.at("bound"), source);
  if (json.contains("infeasible")) {
    const Json& infeasible = json.at("infeasible");
    result.infeasible = {infeasible.at("kernel").get<std::string>(),
                         infeasible.at("message").get<std::string>()};
  }
  if (!json.at("solution").is_null()) {
    outcome.best = recorded_placement(json.at("solution").get<std::string>(), source, problem);
    result.placement = outcome.best->placement;
    result.score = outcome.best->score;
    result.optimal = CostModel(problem).total(result.score) == result.bounds.total;
  }
  return outcome;
}

}  // namespace

void refuse_record(const std::string& source, const std::string& found) {
  throw InputError(source, kWholeSource, "expected what a task of islands wrote, found " + found);
}

VerifiedPlacement recorded_placement(const std::string& text, const std::string& source,
                                     const Problem& problem) {
  const Judgement judgement = judge(problem, read_solution(text, source));
  if (!judgement.legal()) refuse_record(source, "an illegal placement");
  return verified(problem, *judgement.placement, *judgement.score);
}

Json island_record(const IslandTurn& turn, const Problem& problem, const PlacerOutcome& outcome) {
  const placer::PlaceResult& result = outcome.result;
  Json json = new_report("island");
  json["epoch"] = turn.epoch + 1;
  json["island"] = turn.island + 1;
  json["strategy"] = result.strategy;
  json["stopped_by"] = placer::stop_reason_name(result.stopped_by);
  // In the placer's units: what goes on from here compares exactly.
  json["bound"] = {{"time", result.bounds.time},
                   {"total", to_string(result.bounds.total)},
                   {"decided_by", result.bounds.decided_by}};
  if (result.infeasible) {
    json["infeasible"] = {{"kernel", result.infeasible->kernel},
                          {"message", result.infeasible->message}};
  }
  json["total"] = nullptr;
  json["solution"] = nullptr;
  if (outcome.best) {
    const CostModel costs(problem);
    json["total"] = json_number(total_text(costs, costs.total(outcome.best->score)));
    json["solution"] = outcome.best->text;
  }
  return json;
}

PlacerOutcome read_island_record(std::string_view text, const std::string& source,
                                 const Problem& problem) {
  try {
    return outcome_of(Json::parse(text), source, problem);
  } catch (const Json::exception&) {
    refuse_record(source, "something else");
  }
}

}  // namespace waferloom::optimize
