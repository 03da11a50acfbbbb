#include <nlohmann/json.hpp>

#include "model/placement.h"
#include "model/text.h"

namespace waferloom {
namespace {

Json violation_json(const Violation& violation) {
  Json json;
  json["kind"] = kind_name(violation.kind);
  json["kernels"] = violation.kernels;
  json["message"] = violation.message;
  if (violation.position.line > 0) json["line"] = violation.position.line;
  if (violation.tiles != Rectangle{}) json["rectangle"] = rectangle_json(violation.tiles);
  return json;
}

}  // namespace

ScoreTexts part_texts(const Problem& problem, const Score& score) {
  return {time_text(problem, score.time), distance_text(problem, score.half_distance),
          std::to_string(score.adapter), preference_text(score.preference), ""};
}

ScoreTexts score_texts(const Problem& problem, const Score& score) {
  const CostModel costs(problem);
  ScoreTexts texts = part_texts(problem, score);
  texts.total = total_text(costs, costs.total(score));
  return texts;
}

Json score_json(const Problem& problem, const Judgement& judgement) {
  Json json;
  json["legal"] = judgement.legal();
  json["violations"] = Json::array();
  for (const Violation& violation : judgement.violations) {
    json["violations"].push_back(violation_json(violation));
  }
  for (const char* key : {"time", "distance", "adapter", "preference", "total"})
    json[key] = nullptr;
  if (!judgement.score) return json;
  const ScoreTexts texts = judgement.legal() ? score_texts(problem, *judgement.score)
                                             : part_texts(problem, *judgement.score);
  json["time"] = json_number(texts.time);
  json["distance"] = json_number(texts.distance);
  json["adapter"] = judgement.score->adapter;
  json["preference"] = json_number(texts.preference);
  if (judgement.legal()) json["total"] = json_number(texts.total);
  return json;
}

Json score_report(const Problem& problem, const Judgement& judgement,
                  const std::vector<std::string>& warnings) {
  Json report = new_report("score");
  report.update(score_json(problem, judgement));
  report["warnings"] = warnings;
  return report;
}

Json legal_score_json(const Problem& problem, const Score& score) {
  Judgement judgement;
  judgement.score = score;
  return score_json(problem, judgement);
}

}  // namespace waferloom
