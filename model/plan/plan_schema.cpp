#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "model/plan.h"
#include "model/plan/plan_keys.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

Json whole_schema(NumberRange range) {
  return {{"type", "integer"}, {"minimum", range.least}, {"maximum", range.most}};
}

Json object_schema(Json properties, Json required = Json::array()) {
  Json schema{{"type", "object"}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["properties"] = std::move(properties);
  return schema;
}

Json array_schema(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json text_schema() { return {{"type", "string"}}; }

Json value_schema(const PlanNumber& number) { return whole_schema(number.range); }
Json value_schema(const PlanWord& word) {
  return {{"enum", std::vector<std::string>(word.words.begin(), word.words.end())}};
}
Json value_schema(const PlanSpelling& spelling) {
  return {{"type", "string"}, {"pattern", spelling.pattern}};
}
Json value_schema(PlanFlag) { return {{"type", "boolean"}}; }
Json value_schema(PlanText) { return text_schema(); }
Json value_schema(PlanNames) { return array_schema(text_schema()); }

Json stages_schema() {
  constexpr NumberRange kCorner{-kMaxWaferSide, kMaxWaferSide};
  constexpr NumberRange kSide{1, kMaxWaferSide};
  const Json tiles = object_schema({{"x", whole_schema(kCorner)},
                                    {"y", whole_schema(kCorner)},
                                    {"width", whole_schema(kSide)},
                                    {"height", whole_schema(kSide)}},
                                   {"x", "y", "width", "height"});
  Json stages = array_schema(object_schema({{"to", text_schema()},
                                            {"tensor", whole_schema(kPlanDegree)},
                                            {"data", whole_schema(kPlanDegree)},
                                            {"tiles", tiles}},
                                           {"to"}));
  stages["minItems"] = 1;
  return stages;
}

Json degrees_schema() {
  Json degree = whole_schema(kPlanDegree);
  degree["default"] = 1;
  return {{"type", "object"},
          {"additionalProperties",
           object_schema({{"batch", degree}, {"rows", degree}, {"out", degree}, {"in", degree}})}};
}

Json layer_schema() {
  const Json sharding{{"type", "object"}, {"additionalProperties", {{"enum", kLayerShardings}}}};
  Json layer = object_schema(
      {{"sharding", sharding}, {"partitions", array_schema(array_schema(text_schema()))}});
  layer["description"] =
      "how the kernels of a layer are mapped onto the tiles of a stage, as the planner chose it; a "
      "record";
  return layer;
}

}  // namespace

std::string plan_schema() {
  constexpr int kIndent = 2;
  const Json defaults = plan_values(Plan());
  Json properties{{"schema", {{"enum", {"waferloom/plan/1"}}}}};
  for (const PlanKey& key : plan_keys()) {
    Json schema{{"description", key.meaning}};
    schema.update(std::visit([](const auto& value) { return value_schema(value); }, key.value));
    schema["default"] = defaults[std::string(key.name)];
    properties[std::string(key.name)] = std::move(schema);
  }
  properties["stages"] = stages_schema();
  properties["degrees"] = degrees_schema();
  properties["layer"] = layer_schema();
  properties["comment"] = text_schema();
  Json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "A plan (docs/plans.md)"}};
  root.update(object_schema(std::move(properties)));
  return root.dump(kIndent) + "\n";
}

}  // namespace waferloom
