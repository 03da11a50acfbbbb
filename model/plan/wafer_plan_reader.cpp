#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/plan.h"
#include "model/text/json_text.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMostWritten = 1'000'000'000;
constexpr double kMostWrittenNumber = 1e18;

}  // namespace

std::optional<std::string> wafer_plan_way(std::string_view text) {
  const Json plan = Json::parse(text, nullptr, false);
  if (!plan.is_object() || plan.value("schema", "") != "waferloom/wafer_plan/1") {
    return std::nullopt;
  }
  return plan.value("way", "");
}

ResidentPlan read_resident_plan(std::string_view text, const std::string& source) {
  const JsonReader reader(source, "wafer_plan");
  const JsonValue file = parse_json(text, source);
  const auto word = [&](const char* key) {
    return reader.string(reader.at(file, key), std::string(key) + " as a text");
  };
  const auto count = [&](const JsonValue& object, const char* key) {
    return reader.whole(reader.at(object, key), key, {1, kMostWritten});
  };
  ResidentPlan plan;
  plan.workload = word("workload");
  plan.hardware = word("hardware");
  plan.data_type = word("data_type");
  plan.prompt = count(file, "prompt");
  plan.output = count(file, "output");
  plan.requests = count(file, "requests");
  if (const JsonValue* caches = JsonReader::find(file, "caches")) {
    const std::string name = reader.string(*caches, "caches as a text");
    const auto at = std::find(kCacheWayNames.begin(), kCacheWayNames.end(), name);
    if (at == kCacheWayNames.end()) reader.fail(*caches, alternatives(kCacheWayNames));
    plan.caches = static_cast<CacheWay>(at - kCacheWayNames.begin());
  }
  const JsonValue& serving = reader.at(file, "serving");
  reader.expect_object(serving, "serving as an object");
  constexpr RealRange kSeconds{0, 1e9};
  plan.tpot_s = reader.real(reader.at(serving, "tpot_s"), "tpot_s", kSeconds);
  const JsonValue& decode = reader.at(serving, "decode");
  reader.expect_object(decode, "decode as an object");
  plan.region_rows = count(decode, "rows");
  plan.region_columns = count(decode, "columns");
  plan.regions = count(decode, "regions");
  return plan;
}

StreamingPlan read_streaming_plan(std::string_view text, const std::string& source) {
  const JsonReader reader(source, "wafer_plan");
  const JsonValue file = parse_json(text, source);
  const auto word = [&](const char* key) {
    return reader.string(reader.at(file, key), std::string(key) + " as a text");
  };
  const auto count = [&](const JsonValue& object, const char* key) {
    return reader.whole(reader.at(object, key), key, {1, kMostWritten});
  };
  const auto number = [&](const JsonValue& object, const char* key) {
    return reader.real(reader.at(object, key), key, {0, kMostWrittenNumber});
  };
  StreamingPlan plan;
  plan.workload = word("workload");
  plan.hardware = word("hardware");
  plan.data_type = word("data_type");
  const JsonValue& best = reader.at(file, "best");
  reader.expect_object(best, "best as an object");
  plan.rows = count(best, "rows");
  plan.columns = count(best, "columns");
  plan.step_s = number(best, "step_s");
  for (const JsonValue& part : reader.array(reader.at(best, "parts"), "parts as an array")) {
    reader.expect_object(part, "a part as an object");
    plan.parts.push_back({count(part, "repeat"), number(part, "weight_bytes"),
                          number(part, "backward_weight_bytes"), number(part, "gradient_bytes"),
                          number(part, "forward_cycles"), number(part, "backward_cycles")});
  }
  if (plan.parts.empty()) reader.fail(best, "parts, at least one");
  return plan;
}

}  // namespace waferloom
