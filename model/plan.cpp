#include "model/plan.h"

#include <algorithm>
#include <array>
#include <span>

#include "model/json_text.h"

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 3> kSchedules{"inference", "gpipe", "1f1b"};
constexpr std::array<std::string_view, 2> kLayouts{"s-shape", "line"};
constexpr NumberRange kDegree{1, 16'000'000};
constexpr NumberRange kBatch{1, 1'000'000};

class PlanReader {
 public:
  explicit PlanReader(const std::string& source) : reader_(source) {}

  Plan read(const JsonValue& file) const {
    reader_.expect_keys(
        file, "a plan as an object",
        {"schema", "tensor", "data", "pipeline", "micro_batch", "micro_batches", "schedule",
         "layout", "groups", "collective", "data_type", "leave_out", "comment"});
    reader_.check_schema(file, "waferloom/plan/1");
    Plan plan;
    plan.tensor = number(file, "tensor", kDegree);
    plan.data = number(file, "data", kDegree);
    plan.pipeline = number(file, "pipeline", kDegree);
    plan.micro_batch = number(file, "micro_batch", kBatch);
    plan.micro_batches = number(file, "micro_batches", kBatch);
    plan.schedule = static_cast<Schedule>(
        word(file, "schedule", kSchedules, static_cast<std::size_t>(plan.schedule)));
    plan.layout = static_cast<StageLayout>(
        word(file, "layout", kLayouts, static_cast<std::size_t>(plan.layout)));
    plan.groups = static_cast<GroupOrder>(
        word(file, "groups", kGroupOrderNames, static_cast<std::size_t>(plan.groups)));
    plan.collective = static_cast<CollectiveAlgorithm>(
        word(file, "collective", kAlgorithmNames, static_cast<std::size_t>(plan.collective)));
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
    return plan;
  }

 private:
  /// 1 where the key is not there.
  std::int64_t number(const JsonValue& file, const std::string& key, NumberRange range) const {
    const JsonValue* value = JsonReader::find(file, key);
    return value == nullptr ? 1 : reader_.whole(*value, key, range);
  }

  /// The place of a word among those allowed.
  std::size_t word(const JsonValue& file, const std::string& key,
                   std::span<const std::string_view> words, std::size_t otherwise) const {
    const JsonValue* value = JsonReader::find(file, key);
    if (value == nullptr) return otherwise;
    const std::string expected = key + " as " + alternatives(words);
    const auto at = std::find(words.begin(), words.end(), reader_.string(*value, expected));
    if (at == words.end()) reader_.fail(*value, expected);
    return static_cast<std::size_t>(at - words.begin());
  }

  JsonReader reader_;
};

}  // namespace

std::string_view schedule_name(Schedule schedule) {
  return kSchedules[static_cast<std::size_t>(schedule)];
}

std::string_view layout_name(StageLayout layout) {
  return kLayouts[static_cast<std::size_t>(layout)];
}

Plan read_plan(std::string_view text, const std::string& source) {
  return PlanReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
