#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "model/network/operator_keys.h"
#include "model/report.h"
#include "model/workload_reader.h"

namespace waferloom {
namespace {

Json size_schema(std::int64_t least = kOperatorSize.least) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", kOperatorSize.most}};
}

Json text_schema() { return {{"type", "string"}}; }

/// An entry of a list of operators, with the keys that operators and groups share.
Json entry_schema(const Json& properties, Json required) {
  required.insert(required.begin(), "name");
  Json all{{"name", {{"type", "string"}, {"minLength", 1}}},
           {"after",
            {{"description", "operators above in this list, or input; default: the last"},
             {"type", "array"},
             {"items", text_schema()}}},
           {"repeat",
            {{"description", "so many, one behind the other"},
             {"type", "integer"},
             {"minimum", 1},
             {"maximum", kMaxOperators},
             {"default", 1}}}};
  all.update(properties);
  return {{"type", "object"},
          {"required", std::move(required)},
          {"additionalProperties", false},
          {"properties", std::move(all)}};
}

template <typename Owner>
void add_key(const OperatorKey<Owner>& key, Json& properties, Json& required) {
  const bool is_flag = std::holds_alternative<bool Owner::*>(key.member);
  Json schema{{"description", key.meaning}};
  schema.update(is_flag ? Json{{"type", "boolean"}} : size_schema(key.least));
  if (key.otherwise) schema["default"] = is_flag ? Json(*key.otherwise != 0) : Json(*key.otherwise);
  if (!key.otherwise && key.derived == nullptr) required.push_back(key.name);
  properties[std::string(key.name)] = std::move(schema);
}

template <typename Owner>
Json operator_schema(std::string_view kind) {
  Json properties{{"kind", {{"enum", {kind}}}}};
  Json required{"kind"};
  if constexpr (kHasWindow<Owner>) {
    for (const WindowPairKey& key : kWindowPairKeys) {
      properties[std::string(key.name)] = {{"description", key.meaning},
                                           {"type", "array"},
                                           {"minItems", 2},
                                           {"maxItems", 2},
                                           {"items", size_schema()}};
      required.push_back(key.name);
    }
    for (const OperatorKey<Window>& key : kWindowKeys) add_key(key, properties, required);
  }
  for (const OperatorKey<Owner>& key : kOperatorKeys<Owner>) add_key(key, properties, required);
  return entry_schema(properties, std::move(required));
}

template <std::size_t... kinds>
Json operator_schemas(std::index_sequence<kinds...>) {
  Json list = Json::array();
  (list.push_back(
       operator_schema<std::variant_alternative_t<kinds, OperatorKind>>(kOperatorKindNames[kinds])),
   ...);
  return list;
}

}  // namespace

std::string workload_schema() {
  constexpr int kIndent = 2;
  const Json operators{{"$ref", "#/definitions/operators"}};
  Json entries = operator_schemas(std::make_index_sequence<std::variant_size_v<OperatorKind>>());
  entries.push_back(entry_schema({{"operators", operators}}, {"operators"}));
  Json tokens = size_schema();
  tokens["default"] = 1;
  const Json root{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "A workload (docs/workloads.md)"},
      {"definitions", {{"operators", {{"type", "array"}, {"items", {{"anyOf", entries}}}}}}},
      {"type", "object"},
      {"required", {"operators"}},
      {"additionalProperties", false},
      {"properties",
       {{"schema", {{"enum", {"waferloom/workload/1"}}}},
        {"name", text_schema()},
        {"tokens", tokens},
        {"operators", {{"minItems", 1}, {"allOf", Json::array({operators})}}},
        {"comment", text_schema()}}}};
  return root.dump(kIndent) + "\n";
}

}  // namespace waferloom
