#include <nlohmann/json.hpp>
#include <string>

#include "model/dataflow_graph.h"
#include "model/hardware.h"
#include "model/machine/system_keys.h"

namespace waferloom {
namespace {

using Json = nlohmann::ordered_json;

/// Whole where it is, so that no one reads 1e24 as 1000000000000000000000000.0.
Json bound(double value) {
  constexpr double kMostWhole = 1e15;
  if (value <= kMostWhole && value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

template <typename Owner>
Json number_schema(const SystemKey<Owner>& key) {
  const auto* real = std::get_if<double Owner::*>(&key.member);
  Json schema{{"description", key.meaning},
              {"type", real != nullptr ? "number" : "integer"},
              {"minimum", bound(key.least)},
              {"maximum", bound(key.most)}};
  static const Owner defaults{};
  if (!key.required) {
    schema["default"] = real != nullptr
                            ? bound(defaults.**real)
                            : Json(defaults.*std::get<std::int64_t Owner::*>(key.member));
  }
  return schema;
}

struct ObjectKeys {
  Json properties = Json::object();
  Json required = Json::array();  ///< names
};

/// An object with the keys of a table and others beside them.
template <typename Owner, std::size_t count>
Json object_schema(const SystemKey<Owner> (&table)[count], ObjectKeys keys = {}) {
  for (const SystemKey<Owner>& key : table) {
    keys.properties[std::string(key.name)] = number_schema(key);
    if (key.required) keys.required.push_back(key.name);
  }
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", keys.properties}};
  if (!keys.required.empty()) schema["required"] = keys.required;
  return schema;
}

Json list_schema(const Json& items, std::size_t least, std::size_t most) {
  return {{"type", "array"}, {"minItems", least}, {"maxItems", most}, {"items", items}};
}

Json text_schema() { return {{"type", "string"}}; }
Json name_schema() { return {{"type", "string"}, {"minLength", 1}}; }

Json levels_schema() {
  Json properties = Json::object();
  for (const std::string_view name : kTensorClassNames) {
    properties[std::string(name)] = {{"type", "string"},
                                     {"description", "sram or the name of a memory"}};
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Json overlap_schema() {
  Json properties = Json::object();
  for (const OverlapKey& key : kOverlapKeys) {
    properties[std::string(key.name)] = {
        {"description", key.meaning}, {"type", "boolean"}, {"default", false}};
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

Json root(const std::string& name, Json properties, Json required) {
  properties["schema"] = {{"const", name}};
  properties["name"] = text_schema();
  properties["comment"] = text_schema();
  return {{"$schema", "http://json-schema.org/draft-07/schema#"},
          {"title", name},
          {"type", "object"},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

Json real_schema(const char* meaning, double least, double most) {
  return {{"description", meaning},
          {"type", "number"},
          {"minimum", bound(least)},
          {"maximum", bound(most)}};
}

Json kernel_schema() {
  const Json extent{
      {"type", "integer"}, {"minimum", 1}, {"maximum", 1'000'000'000'000}, {"default", 1}};
  const auto bytes = [](const char* meaning) { return real_schema(meaning, 0, kMaxFigure); };
  const Json properties{
      {"name", text_schema()},
      {"type", {{"enum", kKernelTypeNames}, {"default", "element-wise"}}},
      {"outer", extent},
      {"m", extent},
      {"k", extent},
      {"n", extent},
      {"flop",
       real_schema("default: 2 outer m k n of gemm and conv, outer m n of element-wise, 0 of "
                   "embedding and communication",
                   0, 1e30)},
      {"weight_bytes", bytes("of its parameters")},
      {"output_bytes", bytes("of what it hands on; default: outer m n element_bytes")},
      {"all_reduce_bytes", bytes("of every chip, among those that share it; a communication has to "
                                 "say")},
      {"dram_bytes", bytes("from and to DRAM whatever the partition")}};
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"name"}},
          {"properties", properties}};
}

Json tensor_schema() {
  const Json properties{{"from", {{"type", "string"}, {"description", "name of a kernel"}}},
                        {"to", {{"type", "string"}, {"description", "name of another"}}},
                        {"bytes", real_schema("default: the output_bytes of from", 0, kMaxFigure)}};
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", {"from", "to"}},
          {"properties", properties}};
}

}  // namespace

std::string system_schema() {
  Json properties;
  properties["chip"] =
      object_schema(kChipKeys, {.properties = {{"efficiency", object_schema(kEfficiencyKeys)}}});
  properties["memories"] = list_schema(
      object_schema(kMemoryKeys,
                    {.properties = {{"name", name_schema()}}, .required = Json::array({"name"})}),
      0, kMaxMemories);
  const Json topology{{"enum", kDimensionTopologyNames}};
  properties["dimensions"] =
      list_schema(object_schema(kDimensionKeys, {.properties = {{"topology", topology}},
                                                 .required = Json::array({"topology"})}),
                  0, kMaxDimensions);
  properties["levels"] = levels_schema();
  properties["host"] = object_schema(kHostKeys);
  properties["overlap"] = overlap_schema();
  properties["sources"] = {{"type", "object"}, {"additionalProperties", text_schema()}};
  return root("waferloom/system/1", std::move(properties), {"chip"}).dump(2) + "\n";
}

std::string network_schema() {
  Json properties;
  properties["kernels"] = list_schema(kernel_schema(), 1, kMaxDataflowKernels);
  properties["tensors"] = list_schema(tensor_schema(), 0, kMaxDataflowTensors);
  properties["pieces"] = {{"description", "that a tensor goes through a chip in"},
                          {"type", "integer"},
                          {"minimum", 1},
                          {"maximum", 1'000'000'000'000},
                          {"default", 1}};
  properties["repeats"] = real_schema("layers of which this is one", 1e-6, 1e12);
  properties["element_bytes"] = real_schema("of an element", 0.125, 64);
  return root("waferloom/network/1", std::move(properties), {"kernels", "tensors"}).dump(2) + "\n";
}

}  // namespace waferloom
