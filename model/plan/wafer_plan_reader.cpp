#include <algorithm>
#include <array>

#include "model/machine/json_rectangle.h"
#include "model/plan.h"
#include "model/plan/made_for.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMostWritten = 1'000'000'000;
constexpr double kMostWrittenNumber = 1e18;
constexpr double kMostSeconds = 1e9;
constexpr std::int64_t kMostSize = std::int64_t{1} << 60;

/// The values of a plan's file, whatever its way. All throw InputError.
class WaferPlanFile {
 public:
  WaferPlanFile(std::string_view text, const std::string& source)
      : reader_(source, "wafer_plan"), file_(parse_json(text, source)) {}

  const JsonReader& reader() const { return reader_; }
  const JsonValue& all() const { return file_; }

  template <typename WaferPlan>
  void read_names(WaferPlan& plan) const {
    plan.workload = word("workload");
    plan.hardware = word("hardware");
    plan.data_type = word("data_type");
    if (const JsonValue* said = JsonReader::find(file_, "made_for")) {
      plan.made_for = read_described<MadeFor>(reader_, *said);
    }
  }
  const JsonValue& object(const JsonValue& of, const char* key) const {
    const JsonValue& value = reader_.at(of, key);
    reader_.expect_object(value, std::string(key) + " as an object");
    return value;
  }
  std::int64_t count(const JsonValue& of, const char* key) const {
    return reader_.whole(reader_.at(of, key), key, {1, kMostWritten});
  }
  /// Spare rows, and rectangles: of files that were written before these were, 0 and none.
  std::int64_t spare_rows(const JsonValue& of) const {
    const JsonValue* value = JsonReader::find(of, "spare_rows");
    return value == nullptr ? 0 : reader_.whole(*value, "spare_rows", {0, kMaxWaferSide});
  }
  std::vector<Rectangle> places(const JsonValue& of, const char* key = "places") const {
    std::vector<Rectangle> found;
    const JsonValue* value = JsonReader::find(of, key);
    if (value == nullptr) return found;
    for (const JsonValue& place : reader_.array(*value, std::string(key) + " as an array")) {
      found.push_back(json_rectangle(reader_, place, kMaxWaferSide));
    }
    return found;
  }
  /// Bytes or cycles of a stage.
  std::int64_t size(const JsonValue& of, const char* key) const {
    return reader_.whole(reader_.at(of, key), key, {0, kMostSize});
  }
  /// A list that is not empty.
  const std::vector<JsonValue>& list(const JsonValue& of, const char* key) const {
    reader_.expect_object(of, std::string(key) + " in an object");
    const JsonValue& value = reader_.at(of, key);
    const auto& items = reader_.array(value, std::string(key) + " as an array");
    if (items.empty()) reader_.fail(value, std::string(key) + ", at least one");
    return items;
  }
  double number(const JsonValue& of, const char* key, double most = kMostWrittenNumber) const {
    return reader_.real(reader_.at(of, key), key, {0, most});
  }

 private:
  std::string word(const char* key) const {
    return reader_.string(reader_.at(file_, key), std::string(key) + " as a text");
  }

  JsonReader reader_;
  JsonValue file_;
};

constexpr std::string_view kWaferPlan = "waferloom/wafer_plan/1";
/// In the order of AnyPlan.
constexpr std::array<std::string_view, 4> kWays{"cut", "pipeline", "resident", "streaming"};

}  // namespace

AnyPlan read_any_plan(std::string_view text, const std::string& source) {
  const std::optional<JsonValue> plan = json_if_any(text);
  if (!plan || JsonReader::text_or_none(*plan, "schema") != kWaferPlan) {
    return read_plan(text, source);
  }
  const std::string_view way = JsonReader::text_or_none(*plan, "way");
  if (way == kWays[1]) return read_pipeline_plan(text, source);
  if (way == kWays[2]) return read_resident_plan(text, source);
  if (way == kWays[3]) return read_streaming_plan(text, source);
  const JsonReader reader(source, "wafer_plan");
  reader.fail(reader.at(*plan, "way"), "one of pipeline, resident and streaming");
}

std::string_view way_of(const AnyPlan& plan) { return kWays.at(plan.index()); }

namespace {

struct NetworkOf {
  std::string_view operator()(const Plan& plan) const { return plan.made_for.network; }
  template <typename WaferPlan>
  std::string_view operator()(const WaferPlan& plan) const {
    return plan.workload;
  }
};

struct HardwareOf {
  std::string_view operator()(const Plan& plan) const { return plan.made_for.machine; }
  template <typename WaferPlan>
  std::string_view operator()(const WaferPlan& plan) const {
    return plan.hardware;
  }
};

}  // namespace

std::string_view network_of(const AnyPlan& plan) { return std::visit(NetworkOf(), plan); }
std::string_view hardware_of(const AnyPlan& plan) { return std::visit(HardwareOf(), plan); }

const MadeFor& made_for(const AnyPlan& plan) {
  return std::visit([](const auto& of) -> const MadeFor& { return of.made_for; }, plan);
}

PipelinePlan read_pipeline_plan(std::string_view text, const std::string& source) {
  const WaferPlanFile file(text, source);
  const JsonReader& reader = file.reader();
  PipelinePlan plan;
  file.read_names(plan);
  plan.period_cycles = file.count(file.all(), "period_cycles");
  plan.replicas = file.count(file.all(), "replicas");
  plan.samples_per_s = file.number(file.all(), "samples_per_s");
  plan.left_out = file.places(file.all(), "left_out");
  for (const JsonValue& value : file.list(file.all(), "stages")) {
    PipelinePlan::Stage stage;
    stage.name = reader.string(reader.at(value, "name"), "name as a text");
    for (const JsonValue& op : file.list(value, "operators")) {
      reader.expect_object(op, "an operator as an object");
      stage.operators.push_back(reader.string(reader.at(op, "name"), "name as a text"));
    }
    for (const JsonValue& shape : file.list(value, "shapes")) {
      reader.expect_object(shape, "a shape as an object");
      stage.shapes.push_back({file.count(shape, "rows"), file.count(shape, "columns"),
                              file.size(shape, "cycles"), file.size(shape, "edge_cycles"),
                              file.size(shape, "weights"), file.size(shape, "scratch"),
                              file.size(shape, "buffers")});
    }
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

ResidentPlan read_resident_plan(std::string_view text, const std::string& source) {
  const WaferPlanFile file(text, source);
  ResidentPlan plan;
  file.read_names(plan);
  plan.prompt = file.count(file.all(), "prompt");
  plan.output = file.count(file.all(), "output");
  plan.requests = file.count(file.all(), "requests");
  if (const JsonValue* caches = JsonReader::find(file.all(), "caches")) {
    const std::string name = file.reader().string(*caches, "caches as a text");
    const auto at = std::find(kCacheWayNames.begin(), kCacheWayNames.end(), name);
    if (at == kCacheWayNames.end()) file.reader().fail(*caches, alternatives(kCacheWayNames));
    plan.caches = static_cast<CacheWay>(at - kCacheWayNames.begin());
  }
  const JsonValue& serving = file.object(file.all(), "serving");
  if (JsonReader::find(serving, "at_once") != nullptr) {
    plan.at_once = file.count(serving, "at_once");
    if (plan.at_once > plan.requests) {
      file.reader().fail(*JsonReader::find(serving, "at_once"), "at most as many as requests");
    }
  }
  plan.tpot_s = file.number(serving, "tpot_s", kMostSeconds);
  const JsonValue& decode = file.object(serving, "decode");
  plan.region_rows = file.count(decode, "rows");
  plan.region_columns = file.count(decode, "columns");
  plan.regions = file.count(decode, "regions");
  plan.spare_rows = file.spare_rows(decode);
  plan.places = file.places(decode);
  return plan;
}

StreamingPlan read_streaming_plan(std::string_view text, const std::string& source) {
  const WaferPlanFile file(text, source);
  const JsonReader& reader = file.reader();
  StreamingPlan plan;
  file.read_names(plan);
  if (const JsonValue* trains = JsonReader::find(file.all(), "trains")) {
    plan.trains = reader.boolean(*trains, "trains");
  }
  const JsonValue& best = file.object(file.all(), "best");
  plan.rows = file.count(best, "rows");
  plan.columns = file.count(best, "columns");
  plan.spare_rows = file.spare_rows(best);
  if (const JsonValue* place = JsonReader::find(best, "place")) {
    plan.place = json_rectangle(reader, *place, kMaxWaferSide);
  }
  if (JsonReader::find(best, "micro_batches") != nullptr) {
    plan.micro_batches = file.count(best, "micro_batches");
  }
  plan.step_s = file.number(best, "step_s");
  for (const JsonValue& part : reader.array(reader.at(best, "parts"), "parts as an array")) {
    reader.expect_object(part, "a part as an object");
    plan.parts.push_back(
        {file.count(part, "repeat"), file.number(part, "weight_bytes"),
         file.number(part, "backward_weight_bytes"), file.number(part, "gradient_bytes"),
         file.number(part, "forward_cycles"), file.number(part, "backward_cycles"),
         JsonReader::find(part, "fixed_s") != nullptr ? file.number(part, "fixed_s", kMostSeconds)
                                                      : 0});
  }
  if (plan.parts.empty()) reader.fail(best, "parts, at least one");
  return plan;
}

}  // namespace waferloom
