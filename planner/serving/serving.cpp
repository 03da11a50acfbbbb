#include "planner/serving.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "model/text.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/network/network_keys.h"

// Problem: predict how fast a large language model is served, for each way to share the chips.
// Idea: count the FLOP, weights, caches and all-reduces of a layer on a chip of the tensor group.
// The layer takes the sum of the four times: nothing overlaps. A pass takes embedding, all layers,
// head and the hops between stages; the slowest stage sets the throughput.
// Source: DFModel, section VIII-A, and its set-up files (docs/serving.md).
// Cost: O(1) for a pair of degrees; all pairs with tensor · pipeline = chips are tried.
namespace waferloom::planner {
namespace {

constexpr double kFlopOfProduct = 2;       // a multiplication and an addition
constexpr double kUnsharedOperations = 7;  // for each hidden element of a token

double whole_parts(std::int64_t value, std::int64_t parts) {
  const std::int64_t rounded_up = (value + parts - 1) / parts;
  return static_cast<double>(rounded_up);
}

/// The part of a layer on each of `tensor` chips.
struct LayerShare {
  LayerShare(const TransformerOperator& layer, std::int64_t tensor)
      : hidden(static_cast<double>(layer.hidden)),
        heads(whole_parts(layer.heads, tensor)),
        head(static_cast<double>(layer.features_of_head())),
        key_values(whole_parts(layer.key_value_heads, tensor) * head),
        features(whole_parts(layer.feed_forward, tensor)),
        matrices(static_cast<double>(layer.feed_forward_matrices())) {}
  double hidden;
  double heads;
  double head;
  double key_values;  ///< elements of keys of a token
  double features;
  double matrices;  ///< of the feed-forward network
  double parameters() const {
    return 2 * hidden * heads * head + 2 * hidden * key_values + matrices * hidden * features;
  }
};

/// Seconds for bytes from the memory of a class.
double memory_seconds(double bytes, TensorClass kind, const System& system) {
  const std::size_t level = system.level_of[static_cast<std::size_t>(kind)];
  if (bytes <= 0) return 0;
  if (level == kSramLevel) {
    return system.chip.sram_bytes_per_s > 0 ? bytes / system.chip.sram_bytes_per_s : 0;
  }
  const MemoryLevel& memory = system.memories[level - 1];
  return memory.latency_s + bytes / memory.bytes_per_s;
}

void check_group(const System& system, std::int64_t tensor) {
  if (tensor > 1 && system.dimensions.empty()) {
    throw RequestError(fmt::format("{} chips need dimensions of {}", tensor, system.name));
  }
}

/// What a layer hands on, whole.
double activation_bytes(const TransformerOperator& layer, const LayerPass& pass) {
  return static_cast<double>(layer.hidden) * static_cast<double>(pass.tokens) *
         static_cast<double>(pass.samples) * pass.element_bytes;
}

double hop_seconds(const TransformerOperator& layer, const LayerPass& pass, const System& system) {
  return point_to_point_rate(system.dimensions.front()).seconds(activation_bytes(layer, pass));
}

/// "hbm needs 120,000,000,000 bytes and has 64,000,000,000", or nothing.
std::string lack(const std::vector<double>& needed, const System& system) {
  for (std::size_t level = 0; level < needed.size(); ++level) {
    if (needed[level] <= system.level_bytes(level)) continue;
    return system.level_name(level) + " needs " + whole_bytes_text(needed[level]) +
           " bytes and has " + whole_bytes_text(system.level_bytes(level));
  }
  return "";
}

/// Parameters of embedding and head on a stage. A tied table is there once.
double end_parameters(const ServedModel& model, const ServingStage& stage) {
  double parameters = 0;
  if (stage.is_first) parameters += model.embedding.parameters;
  if (stage.is_last) parameters += model.head.parameters;
  if (stage.is_last && !stage.is_first) parameters += model.head.tied_parameters;
  return parameters;
}

/// Sets the memory of a chip: weights and caches of the fullest stage, and the first memory that a
/// stage lacks.
void add_memory(const ServedModel& model, const System& system, const ServingOptions& options,
                ServingPoint& point) {
  LayerPass pass = decode_pass(model, options);
  pass.context = std::max(options.context, options.prompt);
  const double layer_weights = layer_weight_bytes(model.layer, pass, point.tensor);
  // A full pipeline works on as many groups of sequences as it has stages.
  const WindowCosts layer_caches = model.costs([&](std::int64_t window) {
    return layer_cache_bytes(model.with_window(window), pass, point.tensor) *
           static_cast<double>(point.pipeline);
  });
  for (const ServingStage& stage : serving_stages(model, point.pipeline)) {
    const auto layers = static_cast<double>(stage.layers);
    const double weights = layers * layer_weights + end_parameters(model, stage) *
                                                        options.operand_bytes /
                                                        static_cast<double>(point.tensor);
    const double caches = model.fullest(layer_caches, {.layers = stage.layers, .step = 1});
    std::vector<double> needed(system.memories.size() + 1, 0);
    needed[system.level_of[static_cast<std::size_t>(TensorClass::weights)]] += weights;
    needed[system.level_of[static_cast<std::size_t>(TensorClass::io)]] += caches;
    point.memory_bytes = std::max(point.memory_bytes, weights + caches);
    if (point.lacks.empty()) point.lacks = lack(needed, system);
  }
}

ServingTime& operator+=(ServingTime& sum, const ServingTime& other) {
  sum.compute_s += other.compute_s;
  sum.memory_s += other.memory_s;
  sum.serialization_s += other.serialization_s;
  sum.latency_s += other.latency_s;
  return sum;
}

/// Adds a collective of the tensor group, its system's innermost dimension with `tensor` chips.
void add_collective(ServingTime& time, CollectiveKind kind, double bytes, double times,
                    const System& system, std::int64_t tensor) {
  if (tensor < 2) return;
  NetworkDimension group = system.dimensions.front();
  group.size = tensor;
  const CollectiveRate rates = collective_rate(kind, group);
  time.serialization_s += times * bytes * rates.seconds_per_byte;
  time.latency_s += times * rates.latency_s;
}

double compute_rate(const System& system, const LayerPass& pass) {
  return system.chip.flop_per_s * system.chip.reached().at(static_cast<double>(pass.samples));
}

void add_end(ServedModel& model, const Operator& op) {
  const auto parameters = static_cast<double>(count(op.kind).parameters);
  (model.layers == 0 ? model.embedding.parameters : model.head.parameters) += parameters;
  if (const auto* embedding = std::get_if<EmbeddingOperator>(&op.kind)) {
    model.embedding.hidden += static_cast<double>(embedding->hidden);
    return;
  }
  if (const auto* head = std::get_if<HeadOperator>(&op.kind)) {
    model.head.vocabulary = static_cast<double>(head->vocabulary);
    model.head.hidden = static_cast<double>(head->hidden);
    model.head.tied_parameters = head->tied ? model.head.vocabulary * model.head.hidden : 0;
    return;
  }
  const auto* linear = std::get_if<LinearOperator>(&op.kind);
  if (linear == nullptr || model.layers == 0 || model.head.vocabulary > 0) return;
  model.head.vocabulary = static_cast<double>(linear->out_features);
  model.head.hidden = static_cast<double>(linear->in_features);
}

}  // namespace

ServedModel served_model(const Workload& workload) {
  demand_known(workload, NetworkUser::chip_serving);
  ServedModel model;
  model.name = workload.name;
  model.layers = 0;
  for (const Operator& op : workload.operators) {
    if (std::holds_alternative<TransformerOperator>(op.kind)) {
      ++model.layers;
    } else {
      add_end(model, op);
    }
  }
  if (model.layers == 0) {
    throw RequestError(workload.name + ": expected a network with transformer layers, found none");
  }
  static_cast<LayerStack&>(model) = layer_stack(workload);
  return model;
}

ServedModel layers_alone(ServedModel model) {
  model.embedding = {};
  model.head = {};
  return model;
}

double layer_flop(const TransformerOperator& layer, const LayerPass& pass, std::int64_t tensor) {
  const LayerShare share(layer, tensor);
  const auto tokens = static_cast<double>(pass.tokens);
  const auto seen = static_cast<double>(layer.looked_back(pass.context + pass.tokens));
  const double products =
      2 * share.parameters() * tokens + 4 * share.heads * share.head * seen * tokens;
  const double appended = pass.context > 0 ? 4 * share.key_values * seen : 0;
  const double activation = share.features * (share.matrices - 1) * tokens;
  const double shared = 2 * share.heads * seen * tokens + activation;
  const double whole = kUnsharedOperations * share.hidden * tokens;
  return static_cast<double>(pass.samples) * (products + appended + shared + whole);
}

double layer_weight_bytes(const TransformerOperator& layer, const LayerPass& pass,
                          std::int64_t tensor) {
  return LayerShare(layer, tensor).parameters() * bytes_each(pass.kept.weights, pass.operand_bytes);
}

double layer_cache_bytes(const TransformerOperator& layer, const LayerPass& pass,
                         std::int64_t tensor) {
  const std::int64_t kept = layer.looked_back(pass.context);
  return 2 * LayerShare(layer, tensor).key_values * static_cast<double>(kept) *
         static_cast<double>(pass.samples) * bytes_each(pass.kept.caches, pass.operand_bytes);
}

ServingTime layer_time(const TransformerOperator& layer, const LayerPass& pass,
                       const System& system, std::int64_t tensor) {
  check_group(system, tensor);
  ServingTime time;
  time.compute_s = layer_flop(layer, pass, tensor) / compute_rate(system, pass);
  time.memory_s =
      memory_seconds(layer_weight_bytes(layer, pass, tensor), TensorClass::weights, system) +
      memory_seconds(layer_cache_bytes(layer, pass, tensor), TensorClass::io, system);
  constexpr double kAllReduces = 2;
  add_collective(time, CollectiveKind::all_reduce, activation_bytes(layer, pass), kAllReduces,
                 system, tensor);
  return time;
}

ServingTime embedding_time(const ServedModel& model, const LayerPass& pass, const System& system,
                           std::int64_t tensor) {
  check_group(system, tensor);
  ServingTime time;
  const double elements =
      model.embedding.hidden * static_cast<double>(pass.tokens) * static_cast<double>(pass.samples);
  if (elements == 0) return time;
  time.memory_s = memory_seconds(elements * pass.operand_bytes / static_cast<double>(tensor),
                                 TensorClass::weights, system);
  add_collective(time, CollectiveKind::all_gather, elements * pass.element_bytes, 1, system,
                 tensor);
  return time;
}

ServingTime head_time(const ServedModel& model, const LayerPass& pass, const System& system,
                      std::int64_t tensor) {
  check_group(system, tensor);
  ServingTime time;
  if (model.head.vocabulary == 0) return time;
  const auto parts = static_cast<double>(tensor);
  const double rows = static_cast<double>(pass.logits) * static_cast<double>(pass.samples);
  const double matrix = model.head.vocabulary * model.head.hidden;
  time.compute_s = kFlopOfProduct * matrix * rows / parts / compute_rate(system, pass);
  time.memory_s = memory_seconds(matrix * pass.operand_bytes / parts, TensorClass::weights, system);
  add_collective(time, CollectiveKind::all_gather,
                 model.head.vocabulary * rows * pass.element_bytes, 1, system, tensor);
  return time;
}

std::vector<ServingStage> serving_stages(const ServedModel& model, std::int64_t pipeline) {
  const std::int64_t least = model.layers / pipeline;
  std::int64_t longer = model.layers % pipeline;  // stages with a layer more
  if (pipeline == 1) return {{least, true, true}};
  ServingStage first{least, true, false};
  ServingStage last{least, false, true};
  const std::int64_t between = pipeline - 2;
  std::vector<ServingStage> stages;
  if (between > 0) stages.push_back({least + (longer > 0 ? 1 : 0), false, false});
  longer -= std::min(longer, between);
  const bool is_first_lighter = end_parameters(model, first) <= end_parameters(model, last);
  if (longer > 0) ++(is_first_lighter ? first : last).layers;
  stages.insert(stages.begin(), first);
  stages.push_back(last);
  return stages;
}

LayerPass prefill_pass(const ServedModel& model, const ServingOptions& options) {
  return {options.samples,       options.prompt, 0, options.element_bytes, 1,
          options.operand_bytes, model.kept};
}

LayerPass decode_pass(const ServedModel& model, const ServingOptions& options) {
  return {options.samples,       1,         options.context, options.element_bytes, 1,
          options.operand_bytes, model.kept};
}

PassTime pass_time(const ServedModel& model, const LayerPass& pass, const System& system,
                   const ServingDegrees& degrees) {
  const std::int64_t tensor = degrees.tensor;
  const std::int64_t pipeline = degrees.pipeline;
  check_group(system, pipeline);
  const WindowCosts layers = model.costs([&](std::int64_t window) {
    return layer_time(model.with_window(window), pass, system, tensor).total_s();
  });
  const double hop = pipeline > 1 ? hop_seconds(model.layer, pass, system) : 0;
  const double embedding = embedding_time(model, pass, system, tensor).total_s();
  const double head = head_time(model, pass, system, tensor).total_s();
  PassTime time;
  time.total_s = embedding + model.sum(layers) + head + static_cast<double>(pipeline - 1) * hop;
  for (const ServingStage& stage : serving_stages(model, pipeline)) {
    time.stage_s =
        std::max(time.stage_s, model.fullest(layers, {.layers = stage.layers, .step = 1}) + hop +
                                   (stage.is_first ? embedding : 0) + (stage.is_last ? head : 0));
  }
  return time;
}

/// The time of a layer, of kinds in the mean.
ServingTime mean_layer_time(const ServedModel& model, const LayerPass& pass, const System& system,
                            std::int64_t tensor) {
  ServingTime mean;
  for (const auto& [window, count] : model.kinds()) {
    const ServingTime time = layer_time(model.with_window(window), pass, system, tensor);
    const double share = static_cast<double>(count) / static_cast<double>(model.layers);
    mean += {time.compute_s * share, time.memory_s * share, time.serialization_s * share,
             time.latency_s * share};
  }
  return mean;
}

ServingPoint serving_point(const ServedModel& model, const System& system,
                           const ServingOptions& options, const ServingDegrees& degrees) {
  const std::int64_t tensor = degrees.tensor;
  const std::int64_t pipeline = degrees.pipeline;
  ServingPoint point;
  point.tensor = tensor;
  point.pipeline = pipeline;
  const LayerPass prefill = prefill_pass(model, options);
  const LayerPass decode = decode_pass(model, options);
  point.prefill = mean_layer_time(model, prefill, system, tensor);
  point.decode = mean_layer_time(model, decode, system, tensor);
  point.prefill_ends = embedding_time(model, prefill, system, tensor);
  point.prefill_ends += head_time(model, prefill, system, tensor);
  point.decode_ends = embedding_time(model, decode, system, tensor);
  point.decode_ends += head_time(model, decode, system, tensor);
  const auto samples = static_cast<double>(options.samples);
  const PassTime first = pass_time(model, prefill, system, degrees);
  point.ttft_s = first.total_s;
  point.prefill_tokens_per_s = samples * static_cast<double>(options.prompt) / first.stage_s;
  const PassTime next = pass_time(model, decode, system, degrees);
  point.tpot_s = next.total_s;
  point.decode_tokens_per_s = samples / next.stage_s;
  add_memory(model, system, options, point);
  return point;
}

std::vector<ServingPoint> serving_points(const ServedModel& model, const System& system,
                                         const ServingOptions& options) {
  std::vector<ServingPoint> points;
  const std::int64_t chips = system.chips();
  for (std::int64_t tensor = std::min(chips, model.layer.heads); tensor >= 1; --tensor) {
    if (chips % tensor != 0 || chips / tensor > model.layers) continue;
    points.push_back(
        serving_point(model, system, options, {.tensor = tensor, .pipeline = chips / tensor}));
  }
  return points;
}

}  // namespace waferloom::planner
