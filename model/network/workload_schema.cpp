#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/network/operator_keys.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom {
namespace {

Json size_schema(std::int64_t least = kOperatorSize.least, std::int64_t most = kOperatorSize.most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

Json text_schema() { return {{"type", "string"}}; }

struct ObjectKeys {
  Json properties;
  Json required;  ///< names
};

/// An entry of a list of operators, with the keys that operators and groups share.
Json entry_schema(ObjectKeys keys) {
  keys.required.insert(keys.required.begin(), "name");
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
  all.update(keys.properties);
  return {{"type", "object"},
          {"required", std::move(keys.required)},
          {"additionalProperties", false},
          {"properties", std::move(all)}};
}

Json with_null(Json schema) {
  schema["type"] = Json::array({schema["type"], "null"});
  return schema;
}

/// What a member may be, and its value as JSON has it.
struct MemberSchema {
  std::int64_t least;
  std::int64_t most;
  Json operator()(const std::int64_t&) const { return size_schema(least, most); }
  Json operator()(const bool&) const { return {{"type", "boolean"}}; }
  template <typename Choice>
  Json operator()(const Choice& choice) const {
    return {{"enum", words_of(choice)}};
  }
};

struct MemberValue {
  std::int64_t number;
  Json operator()(const std::int64_t&) const { return number; }
  Json operator()(const bool&) const { return number != 0; }
  template <typename Choice>
  Json operator()(const Choice& choice) const {
    return words_of(choice)[static_cast<std::size_t>(number)];
  }
};

template <typename Owner>
void add_key(const OperatorKey<Owner>& key, ObjectKeys& keys) {
  const Owner owner{};
  const auto of_member = [&](const auto& what) {
    return std::visit([&](auto member) { return what(owner.*member); }, key.member);
  };
  Json schema{{"description", key.meaning}};
  Json values = of_member(MemberSchema{key.least, key.most});
  schema.update(key.or_null ? with_null(std::move(values)) : std::move(values));
  // What null stands for is no value that a file may have.
  if (key.otherwise && !key.or_null) schema["default"] = of_member(MemberValue{*key.otherwise});
  if (!key.otherwise && key.derived == nullptr) keys.required.push_back(key.name);
  keys.properties[std::string(key.name)] = std::move(schema);
}

template <typename Owner>
void add_keys(ObjectKeys& keys);

template <typename Owner, typename Part>
void add_part(const PartKey<Owner, Part>& key, Json& properties) {
  ObjectKeys parts{.properties = Json::object(), .required = Json::array()};
  add_keys<Part>(parts);
  properties[std::string(key.name)] = {{"description", key.meaning},
                                       {"type", {"object", "null"}},
                                       {"required", std::move(parts.required)},
                                       {"additionalProperties", false},
                                       {"properties", std::move(parts.properties)}};
}

template <typename Owner>
void add_keys(ObjectKeys& keys) {
  Json& properties = keys.properties;
  for (const PairKey<Owner>& key : kPairKeys<Owner>) {
    const Json pair{{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", size_schema()}};
    properties[std::string(key.name)] = {{"description", key.meaning},
                                         {"anyOf", {pair, size_schema()}}};
    if (key.otherwise) {
      properties[std::string(key.name)]["default"] = *key.otherwise;
    } else {
      keys.required.push_back(key.name);
    }
  }
  for (const OperatorKey<Owner>& key : kOperatorKeys<Owner>) add_key(key, keys);
  std::apply([&](const auto&... key) { (add_part(key, properties), ...); }, kPartKeys<Owner>);
}

Json padding_schema() {
  constexpr std::size_t kAll = 4;
  Json forms = Json::array({size_schema(0)});
  for (const std::size_t sides : {std::size_t{2}, kAll}) {
    forms.push_back(
        {{"type", "array"}, {"minItems", sides}, {"maxItems", sides}, {"items", size_schema(0)}});
  }
  return {{"description", kPaddingMeaning}, {"anyOf", std::move(forms)}, {"default", 0}};
}

template <typename Owner>
Json operator_schema(std::string_view kind) {
  ObjectKeys keys{.properties = {{"kind", {{"enum", {kind}}}}}, .required = Json::array({"kind"})};
  if constexpr (kHasWindow<Owner>) {
    add_keys<Window>(keys);
    keys.properties[std::string(kPadding)] = padding_schema();
  }
  add_keys<Owner>(keys);
  if constexpr (std::is_same_v<Owner, TransformerOperator>) {
    keys.properties[std::string(kOldBiases)] = {
        {"description", "true: biases is all, false: none; in place of biases"},
        {"type", "boolean"}};
  }
  return entry_schema(std::move(keys));
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
  entries.push_back(entry_schema(
      {.properties = {{"operators", operators}}, .required = Json::array({"operators"})}));
  ObjectKeys kept{.properties = Json::object(), .required = Json::array()};
  add_keys<KeptNumbers>(kept);
  Json tokens = size_schema();
  tokens["default"] = 1;
  Json root{{"$schema", "http://json-schema.org/draft-07/schema#"},
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
  root["properties"].update(kept.properties);
  return root.dump(kIndent) + "\n";
}

}  // namespace waferloom
