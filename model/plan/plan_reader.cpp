#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include "kernels/int128.h"
#include "model/machine/json_rectangle.h"
#include "model/plan.h"
#include "model/plan/plan_keys.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

class PlanReader {
 public:
  explicit PlanReader(const std::string& source) : reader_(source, "plan") {}

  Plan read(const JsonValue& file) const {
    std::vector<std::string_view> names{"schema"};
    for (const PlanKey& key : plan_keys()) names.push_back(key.name);
    names.insert(names.end(), {"stages", "degrees", "layer", "comment"});
    reader_.expect_keys(file, "a plan as an object", names);
    reader_.check_schema(file, "waferloom/plan/1");
    Plan plan;
    for (const PlanKey& key : plan_keys()) {
      if (const JsonValue* value = JsonReader::find(file, key.name)) read_key(*value, key, plan);
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      reader_.string(*comment, "comment");
    }
    read_stages(file, plan);
    check_interleaving(file, plan);
    check_replicas(file, plan);
    read_degrees(file, plan);
    read_layer(file, plan);
    return plan;
  }

 private:
  void read_key(const JsonValue& json, const PlanKey& key, Plan& plan) const {
    const auto read = [&](const auto& value) {
      read_value(json, std::string(key.name), value, plan);
    };
    std::visit(read, key.value);
  }

  void read_value(const JsonValue& json, const std::string& name, const PlanNumber& number,
                  Plan& plan) const {
    plan.*number.member = reader_.whole(json, name, number.range);
  }
  void read_value(const JsonValue& json, const std::string& name, const PlanWord& word,
                  Plan& plan) const {
    const std::string expected = name + " as " + alternatives(word.words);
    const auto at = std::find(word.words.begin(), word.words.end(), reader_.string(json, expected));
    if (at == word.words.end()) reader_.fail(json, expected);
    word.set(plan, static_cast<std::size_t>(at - word.words.begin()));
  }
  void read_value(const JsonValue& json, const std::string& name, const PlanSpelling& spelling,
                  Plan& plan) const {
    const std::string expected = name + " as " + spelling.expected();
    if (!spelling.set(plan, reader_.string(json, expected))) reader_.fail(json, expected);
  }
  void read_value(const JsonValue& json, const std::string& name, PlanFlag flag, Plan& plan) const {
    plan.*flag = reader_.boolean(json, name);
  }
  void read_value(const JsonValue& json, const std::string& name, PlanText text, Plan& plan) const {
    plan.*text = reader_.string(json, name);
  }
  void read_value(const JsonValue& json, const std::string& name, PlanNames names,
                  Plan& plan) const {
    for (const JsonValue& item : reader_.array(json, name + " as an array of names")) {
      (plan.*names).push_back(reader_.string(item, "the name of an operator"));
    }
  }

  void read_stages(const JsonValue& file, Plan& plan) const {
    const JsonValue* value = JsonReader::find(file, "stages");
    if (value == nullptr) return;
    for (const JsonValue& item : reader_.array(*value, "stages as an array")) {
      plan.stages.push_back(stage(item, plan));
    }
    const auto count = static_cast<std::int64_t>(plan.stages.size());
    if (JsonReader::find(file, "pipeline") == nullptr && count % plan.chunks == 0) {
      plan.pipeline = count / plan.chunks;
    }
    if (count == 0 || count != plan.parts()) {
      reader_.fail(value->position, "expected as many stages as the pipeline has, " +
                                        std::to_string(plan.parts()) + ", found " +
                                        std::to_string(count));
    }
    for (std::int64_t i = plan.pipeline; i < count; ++i) {
      if (!plan.stages[static_cast<std::size_t>(i)].tiles) continue;
      reader_.fail(value->position,
                   "parts of an interleaved schedule have the tiles of the first " +
                       std::to_string(plan.pipeline));
    }
  }

  /// Where a key stands, or the schedule that takes it.
  static TextPosition key_or_schedule(const JsonValue& file, std::string_view key) {
    const JsonValue* value = JsonReader::find(file, key);
    return (value != nullptr ? *value : *JsonReader::find(file, "schedule")).position;
  }

  void check_interleaving(const JsonValue& file, const Plan& plan) const {
    if (plan.schedule != Schedule::interleaved) return;
    if (plan.pipeline < 2) {
      reader_.fail(key_or_schedule(file, "pipeline"),
                   "expected pipeline of at least 2 stages for an interleaved schedule, found " +
                       std::to_string(plan.pipeline));
    }
    if (plan.micro_batches % plan.pipeline != 0) {
      reader_.fail(key_or_schedule(file, "micro_batches"),
                   "expected micro_batches in multiples of the " + std::to_string(plan.pipeline) +
                       " stages of an interleaved schedule, found " +
                       std::to_string(plan.micro_batches));
    }
  }

  void check_replicas(const JsonValue& file, const Plan& plan) const {
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
      const std::int64_t replicas = plan.stages[i].data.value_or(plan.data);
      if (plan.samples() % replicas == 0) continue;
      const JsonValue& stage = JsonReader::find(file, "stages")->items[i];
      reader_.fail(JsonReader::find(stage, "data")->position,
                   "expected data of stage s" + std::to_string(i) + " to divide the " +
                       std::to_string(plan.samples()) + " samples of micro_batch x data, found " +
                       std::to_string(replicas));
    }
  }

  StageBinding stage(const JsonValue& item, const Plan& plan) const {
    reader_.expect_keys(item, "a stage as an object", {"to", "tensor", "data", "tiles"});
    StageBinding stage;
    stage.to = reader_.string(reader_.at(item, "to"), "to as the name of an operator");
    for (const char* key : {"tensor", "data"}) {
      const JsonValue* value = JsonReader::find(item, key);
      if (value == nullptr) continue;
      if (plan.schedule == Schedule::interleaved) {
        reader_.fail(value->position, "stages of an interleaved schedule have the plan's degrees");
      }
      (key == std::string("tensor") ? stage.tensor : stage.data) =
          reader_.whole(*value, key, kPlanDegree);
    }
    if (const JsonValue* tiles = JsonReader::find(item, "tiles")) {
      stage.tiles = json_rectangle(reader_, *tiles, kMaxWaferSide);
    }
    return stage;
  }

  void read_degrees(const JsonValue& file, Plan& plan) const {
    const JsonValue* value = JsonReader::find(file, "degrees");
    if (value == nullptr) return;
    reader_.expect_object(*value, "degrees as an object by operator");
    for (std::size_t i = 0; i < value->keys.size(); ++i) {
      const JsonValue& item = value->items[i];
      reader_.expect_keys(item, "degrees as an object", {"batch", "rows", "out", "in"});
      Degrees& degrees = plan.degrees[value->keys[i]];
      read_number(item, "batch", kPlanDegree, degrees.batch);
      read_number(item, "rows", kPlanDegree, degrees.rows);
      read_number(item, "out", kPlanDegree, degrees.out);
      read_number(item, "in", kPlanDegree, degrees.in);
      if (Int128(degrees.batch) * degrees.rows * degrees.out * degrees.in > kPlanDegree.most) {
        reader_.fail(item.position,
                     "an operator is cut at most " + std::to_string(kPlanDegree.most) + " ways");
      }
    }
  }

  void read_layer(const JsonValue& file, Plan& plan) const {
    const JsonValue* value = JsonReader::find(file, "layer");
    if (value == nullptr) return;
    reader_.expect_keys(*value, "layer as an object", {"sharding", "partitions"});
    if (const JsonValue* sharding = JsonReader::find(*value, "sharding")) {
      reader_.expect_object(*sharding, "sharding as an object by kernel");
      for (std::size_t i = 0; i < sharding->keys.size(); ++i) {
        const std::string expected = "sharding as " + alternatives(kLayerShardings);
        const std::string& word = reader_.string(sharding->items[i], expected);
        if (std::find(kLayerShardings.begin(), kLayerShardings.end(), word) ==
            kLayerShardings.end()) {
          reader_.fail(sharding->items[i], expected);
        }
        plan.layer.sharding[sharding->keys[i]] = word;
      }
    }
    if (const JsonValue* partitions = JsonReader::find(*value, "partitions")) {
      std::set<std::string> seen;
      for (const JsonValue& item : reader_.array(*partitions, "partitions as an array")) {
        std::vector<std::string>& names = plan.layer.partitions.emplace_back();
        for (const JsonValue& name : reader_.array(item, "a partition as an array of kernels")) {
          names.push_back(reader_.string(name, "the name of a kernel"));
          if (!seen.insert(names.back()).second) {
            reader_.fail(name, "a kernel that is in no other partition");
          }
        }
      }
    }
  }

  // What a key does not say stays as it is.
  void read_number(const JsonValue& file, const std::string& key, NumberRange range,
                   std::int64_t& number) const {
    const JsonValue* value = JsonReader::find(file, key);
    if (value != nullptr) number = reader_.whole(*value, key, range);
  }

  JsonReader reader_;
};

}  // namespace

Plan read_plan(std::string_view text, const std::string& source) {
  return PlanReader(source).read(parse_json(text, source));
}

InputError plan_error(std::string_view text, const std::string& source, const PlanFault& fault) {
  const JsonValue file = parse_json(text, source);
  for (const std::string_view key : fault.keys()) {
    const JsonValue* value = JsonReader::find(file, key);
    if (value != nullptr) return InputError(source, {{value->position, fault.what()}});
  }
  return InputError(source, kWholeSource, fault.what());
}

}  // namespace waferloom
