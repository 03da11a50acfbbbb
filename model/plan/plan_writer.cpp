#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "model/plan.h"
#include "model/plan/plan_keys.h"

namespace waferloom {

namespace {

Json stage_json(const StageBinding& stage) {
  Json json{{"to", stage.to}};
  if (stage.tensor) json["tensor"] = *stage.tensor;
  if (stage.data) json["data"] = *stage.data;
  if (stage.tiles) {
    json["tiles"] = {{"x", stage.tiles->x},
                     {"y", stage.tiles->y},
                     {"width", stage.tiles->width},
                     {"height", stage.tiles->height}};
  }
  return json;
}

Json value_json(const PlanNumber& number, const Plan& plan) { return plan.*number.member; }
Json value_json(const PlanWord& word, const Plan& plan) { return word.words[word.at(plan)]; }
Json value_json(const PlanSpelling& spelling, const Plan& plan) { return spelling.text(plan); }
template <typename Member>
Json value_json(Member Plan::*member, const Plan& plan) {
  return plan.*member;
}

}  // namespace

Json plan_values(const Plan& plan) {
  Json json;
  for (const PlanKey& key : plan_keys()) {
    json[std::string(key.name)] =
        std::visit([&](const auto& value) { return value_json(value, plan); }, key.value);
  }
  return json;
}

Json degrees_json(const Plan& plan) {
  Json json = Json::object();
  for (const auto& [name, degrees] : plan.degrees) {
    json[name] = {
        {"batch", degrees.batch}, {"rows", degrees.rows}, {"out", degrees.out}, {"in", degrees.in}};
  }
  return json;
}

std::string plan_text(const Plan& plan) {
  constexpr int kIndent = 2;
  Json json{{"schema", "waferloom/plan/1"}};
  json.update(plan_values(plan));
  for (const StageBinding& stage : plan.stages) json["stages"].push_back(stage_json(stage));
  if (!plan.degrees.empty()) json["degrees"] = degrees_json(plan);
  for (const auto& [kernel, sharding] : plan.layer.sharding) {
    json["layer"]["sharding"][kernel] = sharding;
  }
  for (const auto& partition : plan.layer.partitions) {
    json["layer"]["partitions"].push_back(partition);
  }
  return json.dump(kIndent) + "\n";
}

}  // namespace waferloom
