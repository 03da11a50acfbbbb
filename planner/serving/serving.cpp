#include "planner/serving.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "planner/dfmodel/systems/network_times.h"
#include "planner/plans/whole_bytes.h"

// Problem: predict how fast a large language model is served, for each way to share the chips.
// Idea: count the FLOP, weights, caches and all-reduces of a layer on a chip of the tensor group.
// The layer takes the sum of the four times: nothing overlaps. A pass takes all layers and the hops
// between stages; the slowest stage sets the throughput.
// Source: DFModel, section VIII-A, and its set-up files (docs/serving.md).
// Cost: O(1) for a pair of degrees; all pairs with tensor · pipeline = chips are tried.
namespace waferloom::planner {
namespace {

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
        head(static_cast<double>(layer.hidden) / static_cast<double>(layer.heads)),
        key_values(whole_parts(layer.key_value_heads, tensor) * head),
        features(whole_parts(layer.feed_forward, tensor)),
        matrices(layer.gated ? 3 : 2) {}
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

bool is_alike(const TransformerOperator& transformer_operator, const TransformerOperator& other) {
  return transformer_operator.hidden == other.hidden && transformer_operator.heads == other.heads &&
         transformer_operator.key_value_heads == other.key_value_heads &&
         transformer_operator.feed_forward == other.feed_forward &&
         transformer_operator.gated == other.gated;
}

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
    throw RequestError(std::to_string(tensor) + " chips need dimensions of " + system.name);
  }
}

double hop_seconds(const TransformerOperator& layer, const LayerPass& pass, const System& system) {
  const double bytes = static_cast<double>(layer.hidden) * static_cast<double>(pass.tokens) *
                       static_cast<double>(pass.samples) * pass.element_bytes;
  return point_to_point_rate(system.dimensions.front()).seconds(bytes);
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

/// Sets the memory of a chip: weights and caches of the stage with the most layers, and all
/// parameters outside of layers, as if they were on that stage.
void add_memory(const ServedModel& model, const System& system, const ServingOptions& options,
                ServingPoint& point) {
  const double layers = whole_parts(model.layers, point.pipeline);
  const LayerPass pass{options.samples, 1, std::max(options.context, options.prompt),
                       options.element_bytes};
  const double weights =
      layers * layer_weight_bytes(model.layer, options.element_bytes, point.tensor) +
      model.other_parameters * options.element_bytes / static_cast<double>(point.tensor);
  // A full pipeline works on as many groups of sequences as it has stages.
  const double caches = layers * layer_cache_bytes(model.layer, pass, point.tensor) *
                        static_cast<double>(point.pipeline);
  std::vector<double> needed(system.memories.size() + 1, 0);
  needed[system.level_of[static_cast<std::size_t>(TensorClass::weights)]] += weights;
  needed[system.level_of[static_cast<std::size_t>(TensorClass::io)]] += caches;
  point.memory_bytes = weights + caches;
  point.lacks = lack(needed, system);
}

}  // namespace

ServedModel served_model(const Workload& workload) {
  ServedModel model;
  model.name = workload.name;
  model.layers = 0;
  for (const Operator& op : workload.operators) {
    const auto* layer = std::get_if<TransformerOperator>(&op.kind);
    if (layer == nullptr) {
      model.other_parameters += static_cast<double>(count(op.kind).parameters);
      continue;
    }
    if (model.layers > 0 && !is_alike(model.layer, *layer)) {
      throw RequestError(workload.name + ": expected transformer layers that are alike, " +
                         "found " + op.name + " unlike those before it");
    }
    model.layer = *layer;
    ++model.layers;
  }
  if (model.layers == 0) {
    throw RequestError(workload.name + ": expected a network with transformer layers, found none");
  }
  return model;
}

double layer_flop(const TransformerOperator& layer, const LayerPass& pass, std::int64_t tensor) {
  const LayerShare share(layer, tensor);
  const auto tokens = static_cast<double>(pass.tokens);
  const auto seen = static_cast<double>(pass.context + pass.tokens);
  const double products =
      2 * share.parameters() * tokens + 4 * share.heads * share.head * seen * tokens;
  const double appended = pass.context > 0 ? 4 * share.key_values * seen : 0;
  const double activation = share.features * (share.matrices - 1) * tokens;
  const double shared = 2 * share.heads * seen * tokens + activation;
  const double whole = kUnsharedOperations * share.hidden * tokens;
  return static_cast<double>(pass.samples) * (products + appended + shared + whole);
}

double layer_weight_bytes(const TransformerOperator& layer, double element_bytes,
                          std::int64_t tensor) {
  return LayerShare(layer, tensor).parameters() * element_bytes;
}

double layer_cache_bytes(const TransformerOperator& layer, const LayerPass& pass,
                         std::int64_t tensor) {
  return 2 * LayerShare(layer, tensor).key_values * static_cast<double>(pass.context) *
         static_cast<double>(pass.samples) * pass.element_bytes;
}

ServingTime layer_time(const TransformerOperator& layer, const LayerPass& pass,
                       const System& system, std::int64_t tensor) {
  check_group(system, tensor);
  ServingTime time;
  const double rate =
      system.chip.flop_per_s * system.chip.efficiency.at(static_cast<double>(pass.samples));
  time.compute_s = layer_flop(layer, pass, tensor) / rate;
  time.memory_s = memory_seconds(layer_weight_bytes(layer, pass.element_bytes, tensor),
                                 TensorClass::weights, system) +
                  memory_seconds(layer_cache_bytes(layer, pass, tensor), TensorClass::io, system);
  if (tensor < 2) return time;
  NetworkDimension group = system.dimensions.front();
  group.size = tensor;
  const CollectiveRate rates = collective_rate(CollectiveKind::all_reduce, group);
  const double bytes = static_cast<double>(layer.hidden) * static_cast<double>(pass.tokens) *
                       static_cast<double>(pass.samples) * pass.element_bytes;
  time.serialization_s = 2 * bytes * rates.seconds_per_byte;
  time.latency_s = 2 * rates.latency_s;
  return time;
}

PassTime pass_time(const ServedModel& model, const LayerPass& pass, const System& system,
                   std::int64_t tensor, std::int64_t pipeline) {
  check_group(system, pipeline);
  const double layer = layer_time(model.layer, pass, system, tensor).total_s();
  const double hop = pipeline > 1 ? hop_seconds(model.layer, pass, system) : 0;
  return {static_cast<double>(model.layers) * layer + static_cast<double>(pipeline - 1) * hop,
          whole_parts(model.layers, pipeline) * layer + hop};
}

ServingPoint serving_point(const ServedModel& model, const System& system,
                           const ServingOptions& options, std::int64_t tensor,
                           std::int64_t pipeline) {
  ServingPoint point;
  point.tensor = tensor;
  point.pipeline = pipeline;
  const LayerPass prefill{options.samples, options.prompt, 0, options.element_bytes};
  const LayerPass decode{options.samples, 1, options.context, options.element_bytes};
  point.prefill = layer_time(model.layer, prefill, system, tensor);
  point.decode = layer_time(model.layer, decode, system, tensor);
  const auto samples = static_cast<double>(options.samples);
  const PassTime first = pass_time(model, prefill, system, tensor, pipeline);
  point.ttft_s = first.total_s;
  point.prefill_tokens_per_s = samples * static_cast<double>(options.prompt) / first.stage_s;
  const PassTime next = pass_time(model, decode, system, tensor, pipeline);
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
    points.push_back(serving_point(model, system, options, tensor, chips / tensor));
  }
  return points;
}

}  // namespace waferloom::planner
