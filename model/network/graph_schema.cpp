#include <nlohmann/json.hpp>
#include <string>

#include "model/workload.h"

namespace waferloom {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMaxFigure = 1e24;

/// Whole where it is, so that no one reads 1e24 as 1000000000000000000000000.0.
Json bound(double value) {
  constexpr double kMostWhole = 1e15;
  if (value <= kMostWhole && value == static_cast<double>(static_cast<std::int64_t>(value))) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json list_schema(const Json& items, std::size_t least, std::size_t most) {
  return {{"type", "array"}, {"minItems", least}, {"maxItems", most}, {"items", items}};
}

Json string_schema() { return {{"type", "string"}}; }

Json root(const std::string& name, Json properties, Json required) {
  properties["schema"] = {{"const", name}};
  properties["name"] = string_schema();
  properties["comment"] = string_schema();
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
      {"name", string_schema()},
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
