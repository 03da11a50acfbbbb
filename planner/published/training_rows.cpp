#include "planner/published/training_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "planner/wafer_streaming.h"

// Problem: hold the planner of weight streaming against rates of training that were measured.
// Idea: a row names a machine, a model and the samples of a step. The model is a preset; the plan
// chooses micro-batches and what is computed again, since logs do not say them. The head is in one
// piece: the vendor's models take the loss of the logits of all tokens. Repeated rows share a plan.
// Source: the rows' own file. Cost: a plan a configuration, about a second.
namespace waferloom::planner {
namespace {

constexpr std::string_view kTraining = "training";

/// More samples of a step, or tokens of a sample, than anybody trains with.
constexpr std::int64_t kMostOfStep = 1'000'000;

/// A whole number of at least 1; 0 where the row does not say one.
std::int64_t count_of(const JsonValue& row, const char* key) {
  const JsonValue* found = JsonReader::find(row, key);
  if (found == nullptr) return 0;
  return static_cast<std::int64_t>(JsonReader::whole_if(*found, 1, kMostOfStep).value_or(0));
}

/// The wafer of a system: "CS-2" has a WSE-2.
std::string wafer_of(std::string machine) {
  if (machine.starts_with("CS-")) machine.replace(0, 2, "WSE");
  return machine;
}

/// With sequences of so many tokens; the head takes the same part of them.
Workload with_sequence(Workload workload, std::int64_t tokens) {
  for (Operator& op : workload.operators) {
    if (auto* layer = std::get_if<TransformerOperator>(&op.kind)) layer->sequence = tokens;
    if (auto* table = std::get_if<EmbeddingOperator>(&op.kind)) table->sequence = tokens;
    if (auto* head = std::get_if<HeadOperator>(&op.kind)) {
      head->sequence = parts_of(head->sequence * tokens, workload.tokens);
    }
  }
  workload.tokens = tokens;
  return workload;
}

/// Throws RequestError where there is none.
Workload model_of(const std::string& name) {
  const auto preset = workload_preset(name);
  if (!preset) throw RequestError("no preset of " + name);
  return read_workload(*preset, name);
}

std::string why_not_judged(const JsonValue& json, const WaferRow& row) {
  if (row.how != "device") return "not measured on a device: " + row.how;
  if (!row.measured) return "no rate above 0 in samples/s";
  const JsonValue* judge = JsonReader::find(json, "judge");
  if (judge != nullptr && (judge->kind != JsonValue::Kind::boolean || judge->text != "true")) {
    return row.note.empty() ? "the file says not to judge it" : row.note;
  }
  if (JsonReader::find_unless_null(json, "sequence_tokens") != nullptr &&
      count_of(json, "sequence_tokens") == 0) {
    return fmt::format("sequence_tokens: expected a whole number from 1 to {}", kMostOfStep);
  }
  if (count_of(json, "global_batch_samples") == 0) return "the samples of a step are not known";
  return "";
}

}  // namespace

bool is_training_row(const JsonValue& json) {
  const auto has = [&](const char* key) { return JsonReader::find(json, key) != nullptr; };
  return has("model") && has("global_batch_samples") && has("how") && !has("settings");
}

const TrainingRows::Planned& TrainingRows::planned(const TrainingSettings& asked,
                                                   const std::string& machine) {
  const std::string key =
      fmt::format("{}/{}/{}/{}", machine, asked.model, asked.batch, asked.sequence_tokens);
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (known != known_.end()) return known->second;
  const std::string wafer = wafer_of(machine);
  const auto preset = preset_machine(wafer);
  if (!preset) throw RequestError("no preset of " + machine);
  WaferStreamingJob job{with_sequence(model_of(asked.model), asked.sequence_tokens),
                        fabric_of(*preset)};
  job.batch = asked.batch;
  job.head_pieces = 1;
  const StreamingChoice best = plan_wafer_streaming(job).best;
  Planned found{asked, best.samples_per_s()};
  found.settings.micro_batches = best.micro_batches;
  found.settings.head_pieces = best.head_pieces;
  found.settings.recompute = recompute_name(best.recompute);
  found.settings.tiles = best.tiles;
  return known_.emplace_back(key, std::move(found)).second;
}

WaferRow TrainingRows::row(const JsonValue& json) {
  WaferRow row{text_of(json, "id"), std::string(kTraining), text_of(json, "how"),
               text_of(json, "machine")};
  row.unit = text_of(json, "unit");
  row.note = text_of(json, "note");
  const double value = amount_of(json, "value");
  if (value > 0 && unit_of(json) == "samples/s") row.measured = value;
  row.reason = why_not_judged(json, row);
  if (!row.reason.empty()) return row;
  try {
    TrainingSettings asked{text_of(json, "model"), count_of(json, "global_batch_samples"),
                           count_of(json, "sequence_tokens")};
    if (asked.sequence_tokens == 0) {
      asked.sequence_tokens = model_of(asked.model).tokens;
      row.assumed.push_back(fmt::format("sequences of {} tokens", asked.sequence_tokens));
    }
    const Planned& found = planned(asked, row.machine);
    row.ours = found.samples_per_s;
    row.settings = found.settings;
    row.assumed.push_back("micro-batches and what is computed again: the fastest that fit");
    row.assumed.push_back("logits of all tokens of a micro-batch at once, of 32 bits");
  } catch (const RequestError& error) {
    row.reason = error.what();
  } catch (const InfeasibleError& error) {
    row.reason = error.what();
  }
  return row;
}

}  // namespace waferloom::planner
