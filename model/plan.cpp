#include "model/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "model/json_text.h"

namespace waferloom {
namespace {

constexpr std::array<std::string_view, 4> kSchedules{"inference", "gpipe", "1f1b", "interleaved"};
constexpr std::array<std::string_view, 2> kLayouts{"s-shape", "line"};
constexpr std::array<std::string_view, 4> kRecomputes{"none", "selective", "full", "if-needed"};
constexpr std::array<std::string_view, 2> kOptimizers{"sgd", "adam"};
constexpr NumberRange kChunks{2, 1'000};
constexpr NumberRange kZero{0, 3};
constexpr NumberRange kDegree{1, 16'000'000};
constexpr NumberRange kBatch{1, 1'000'000};

class PlanReader {
 public:
  explicit PlanReader(const std::string& source) : reader_(source) {}

  Plan read(const JsonValue& file) const {
    reader_.expect_keys(file, "a plan as an object",
                        {"schema", "tensor", "data", "pipeline", "micro_batch", "micro_batches",
                         "schedule", "layout", "groups", "collective", "recompute", "optimizer",
                         "zero", "overlap", "data_type", "leave_out", "comment"});
    reader_.check_schema(file, "waferloom/plan/1");
    Plan plan;
    read_number(file, "tensor", kDegree, plan.tensor);
    read_number(file, "data", kDegree, plan.data);
    read_number(file, "pipeline", kDegree, plan.pipeline);
    read_number(file, "micro_batch", kBatch, plan.micro_batch);
    read_number(file, "micro_batches", kBatch, plan.micro_batches);
    read_schedule(file, plan);
    read_word(file, "layout", kLayouts, plan.layout);
    read_word(file, "groups", kGroupOrderNames, plan.groups);
    read_word(file, "collective", kAlgorithmNames, plan.collective);
    read_word(file, "recompute", kRecomputes, plan.recompute);
    read_word(file, "optimizer", kOptimizers, plan.optimizer);
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
    return plan;
  }

 private:
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
  return kOptimizers[static_cast<std::size_t>(optimizer)];
}

Plan read_plan(std::string_view text, const std::string& source) {
  return PlanReader(source).read(parse_json(text, source));
}

}  // namespace waferloom
