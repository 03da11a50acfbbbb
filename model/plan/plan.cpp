#include "model/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>

#include "kernels/int128.h"
#include "model/text/json_rectangle.h"
#include "model/text/json_text.h"
#include "model/text_scan.h"
#include "model/wafer.h"

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 4> kSchedules{"inference", "gpipe", "1f1b", "interleaved"};
constexpr std::array<std::string_view, 2> kLayouts{"s-shape", "line"};
constexpr std::array<std::string_view, 4> kRecomputes{"none", "selective", "full", "if-needed"};
constexpr NumberRange kChunks{2, 1'000};
constexpr NumberRange kZero{0, 3};
constexpr NumberRange kDegree{1, 16'000'000};
constexpr NumberRange kBatch{1, 1'000'000};

class PlanReader {
 public:
  explicit PlanReader(const std::string& source) : reader_(source, "plan") {}

  Plan read(const JsonValue& file) const {
    reader_.expect_keys(
        file, "a plan as an object",
        {"schema",    "tensor", "data",    "pipeline",  "micro_batch", "micro_batches",
         "schedule",  "layout", "routing", "groups",    "collective",  "recompute",
         "optimizer", "zero",   "overlap", "data_type", "leave_out",   "stages",
         "degrees",   "layer",  "comment"});
    reader_.check_schema(file, "waferloom/plan/1");
    Plan plan;
    read_number(file, "tensor", kDegree, plan.tensor);
    read_number(file, "data", kDegree, plan.data);
    read_number(file, "pipeline", kDegree, plan.pipeline);
    read_number(file, "micro_batch", kBatch, plan.micro_batch);
    read_number(file, "micro_batches", kBatch, plan.micro_batches);
    read_schedule(file, plan);
    read_word(file, "layout", kLayouts, plan.layout);
    read_routing(file, plan);
    read_word(file, "groups", kGroupOrderNames, plan.groups);
    read_word(file, "collective", kAlgorithmNames, plan.collective);
    read_word(file, "recompute", kRecomputes, plan.recompute);
    read_word(file, "optimizer", kOptimizerNames, plan.optimizer);
    read_number(file, "zero", kZero, plan.zero);
    if (const JsonValue* value = JsonReader::find(file, "overlap")) {
      plan.overlap = reader_.boolean(*value, "overlap");
    }
    if (const JsonValue* comment = JsonReader::find(file, "comment")) {
      reader_.string(*comment, "comment");
    }
    if (const JsonValue* value = JsonReader::find(file, "data_type")) {
      plan.data_type = reader_.string(*value, "data_type");
    }
    if (const JsonValue* value = JsonReader::find(file, "leave_out")) {
      for (const JsonValue& item : reader_.array(*value, "leave_out as an array of names")) {
        plan.leave_out.push_back(reader_.string(item, "the name of an operator"));
      }
    }
    read_stages(file, plan);
    check_interleaving(file, plan);
    check_replicas(file, plan);
    read_degrees(file, plan);
    read_layer(file, plan);
    return plan;
  }

 private:
  /// A rule, planned routes, or a file of them.
  void read_routing(const JsonValue& file, Plan& plan) const {
    constexpr std::string_view kFile = ".json";
    constexpr std::array<std::string_view, kRoutingNames.size() + 2> kRuleWords{
        "planned",        kRoutingNames[0], kRoutingNames[1],
        kRoutingNames[2], kRoutingNames[3], "a file of routes that ends in .json"};
    const JsonValue* value = JsonReader::find(file, "routing");
    if (value == nullptr) return;
    const std::string word = reader_.string(*value, "routing");
    if (const auto rule = routing_named(word)) {
      plan.routing = *rule;
    } else if (word.ends_with(kFile)) {
      plan.routes = word;
    } else if (word != routing_name(Routing::planned)) {
      reader_.fail(value->position,
                   "expected routing " + alternatives(kRuleWords) + ", found " + in_quotes(word));
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

  /// Where a key stands, or what takes its place.
  static TextPosition position(const JsonValue& file, std::string_view key,
                               std::string_view instead) {
    const JsonValue* value = JsonReader::find(file, key);
    return (value != nullptr ? *value : *JsonReader::find(file, instead)).position;
  }

  void check_interleaving(const JsonValue& file, const Plan& plan) const {
    if (plan.schedule != Schedule::interleaved) return;
    if (plan.pipeline < 2) {
      reader_.fail(position(file, "pipeline", "schedule"),
                   "expected pipeline of at least 2 stages for an interleaved schedule, found " +
                       std::to_string(plan.pipeline));
    }
    if (plan.micro_batches % plan.pipeline != 0) {
      reader_.fail(position(file, "micro_batches", "schedule"),
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
          reader_.whole(*value, key, kDegree);
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
      read_number(item, "batch", kDegree, degrees.batch);
      read_number(item, "rows", kDegree, degrees.rows);
      read_number(item, "out", kDegree, degrees.out);
      read_number(item, "in", kDegree, degrees.in);
      if (Int128(degrees.batch) * degrees.rows * degrees.out * degrees.in > kDegree.most) {
        reader_.fail(item.position,
                     "an operator is cut at most " + std::to_string(kDegree.most) + " ways");
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

  /// A word, or "interleaved:" and a number.
  void read_schedule(const JsonValue& file, Plan& plan) const {
    const JsonValue* value = JsonReader::find(file, "schedule");
    if (value == nullptr) return;
    const std::string expected = "schedule as inference, gpipe, 1f1b or interleaved:2 (or more)";
    const std::string_view text = reader_.string(*value, expected);
    const std::size_t colon = text.find(':');
    const auto at = std::find(kSchedules.begin(), kSchedules.end(), text.substr(0, colon));
    if (at == kSchedules.end()) reader_.fail(*value, expected);
    plan.schedule = static_cast<Schedule>(at - kSchedules.begin());
    const bool is_interleaved = plan.schedule == Schedule::interleaved;
    if (is_interleaved != (colon != std::string_view::npos)) reader_.fail(*value, expected);
    if (!is_interleaved) return;
    const std::string_view number = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), plan.chunks);
    if (error != std::errc() || end != number.data() + number.size() ||
        plan.chunks < kChunks.least || plan.chunks > kChunks.most) {
      reader_.fail(*value, expected);
    }
  }

  /// `word` counts the words allowed.
  template <typename Word>
  void read_word(const JsonValue& file, const std::string& key,
                 std::span<const std::string_view> words, Word& word) const {
    const JsonValue* value = JsonReader::find(file, key);
    if (value == nullptr) return;
    const std::string expected = key + " as " + alternatives(words);
    const auto at = std::find(words.begin(), words.end(), reader_.string(*value, expected));
    if (at == words.end()) reader_.fail(*value, expected);
    word = static_cast<Word>(at - words.begin());
  }

  JsonReader reader_;
};

}  // namespace

Plan Plan::of_part(std::size_t part) const {
  Plan own = *this;
  if (stages.empty()) return own;
  own.tensor = stages[part].tensor.value_or(tensor);
  own.data = stages[part].data.value_or(data);
  if (samples() % own.data != 0) {
    throw PlanFault({"stages"}, "the " + std::to_string(own.data) + " replicas of stage s" +
                                    std::to_string(part) + " cannot share " +
                                    std::to_string(samples()) + " samples evenly");
  }
  own.micro_batch = samples() / own.data;
  return own;
}

Degrees Plan::degrees_of(const Operator& op) const {
  auto own = degrees.find(op.name);
  if (own == degrees.end()) own = degrees.find(op.name.substr(0, op.name.rfind('.')));
  return own != degrees.end() ? own->second : waferloom::degrees_of(op.kind, data, tensor);
}

std::string schedule_text(const Plan& plan) {
  const std::string name(kSchedules[static_cast<std::size_t>(plan.schedule)]);
  return plan.schedule == Schedule::interleaved ? name + ":" + std::to_string(plan.chunks) : name;
}

std::string_view layout_name(StageLayout layout) {
  return kLayouts[static_cast<std::size_t>(layout)];
}

std::string_view recompute_name(Recompute recompute) {
  return kRecomputes[static_cast<std::size_t>(recompute)];
}

std::string_view optimizer_name(Optimizer optimizer) {
  return kOptimizerNames[static_cast<std::size_t>(optimizer)];
}

std::int64_t optimizer_bytes(Optimizer optimizer) {
  constexpr std::int64_t kFull = 4;  // of a number in full precision
  return optimizer == Optimizer::adam ? 3 * kFull : 0;
}

Plan read_plan(std::string_view text, const std::string& source) {
  return PlanReader(source).read(parse_json(text, source));
}

InputError plan_error(std::string_view text, const std::string& source, const PlanFault& fault) {
  const JsonValue file = parse_json(text, source);
  for (const std::string_view key : fault.keys()) {
    const JsonValue* value = JsonReader::find(file, key);
    if (value != nullptr) return InputError(source, {{value->position, fault.what()}});
  }
  return InputError(source, fault.what());
}

}  // namespace waferloom
