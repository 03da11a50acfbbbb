#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system.h"
#include "model/workload.h"

namespace waferloom::planner {

// How fast a large language model is served (DFModel, section VIII-A): prefill takes a prompt and
// fills the caches of keys and values, decode makes a token at a time. Tensor parallelism within a
// layer, pipeline parallelism over layers. Seconds and bytes; nothing overlaps, as in DFModel's
// serving studies.

/// A stack of transformer layers that are alike. Embedding and head take no time here, as in
/// DFModel; their parameters take memory.
struct ServedModel {
  std::string name;
  TransformerOperator layer;
  std::int64_t layers = 1;
  double other_parameters = 0;
};

/// The layers of a workload. Throws RequestError where it has none, or some that differ.
ServedModel served_model(const Workload& workload);

/// What goes through a layer at once.
struct LayerPass {
  std::int64_t samples = 1;  ///< sequences
  std::int64_t tokens = 1;   ///< new ones of each
  std::int64_t context = 0;  ///< tokens of each in the caches
  double element_bytes = 2;
};

struct ServingTime {
  double compute_s = 0;
  double memory_s = 0;
  double serialization_s = 0;  ///< bytes of all-reduces over links
  double latency_s = 0;        ///< steps of all-reduces
  double total_s() const { return compute_s + memory_s + serialization_s + latency_s; }
};

/// FLOP of one of `tensor` chips for a layer, as DFModel's files count: 2 m k n of every product,
/// all new tokens against caches and each other (no half for causality); appending to either cache
/// 2 an element of the whole cache (where there is one); softmax, dropout and activation one an
/// element (two if gated); these are shared. Seven operations on hidden elements are not: two sums,
/// two normalisations, two dropouts and the sum before. What `tensor` does not divide is
/// rounded up to whole heads, key-value heads or features.
double layer_flop(const TransformerOperator& layer, const LayerPass& pass, std::int64_t tensor);
/// Bytes of the matrices of a layer that one of `tensor` chips holds.
double layer_weight_bytes(const TransformerOperator& layer, double element_bytes,
                          std::int64_t tensor);
/// Bytes of keys and values of the context.
double layer_cache_bytes(const TransformerOperator& layer, const LayerPass& pass,
                         std::int64_t tensor);

/// A layer on `tensor` chips: FLOP over the achieved peak; weights and caches once from the
/// memories of weights and io; two all-reduces of the layer's output, by the collectives of
/// planner/dfmodel/systems/network_times.h on a dimension as the system's innermost one, of
/// `tensor` chips.
ServingTime layer_time(const TransformerOperator& layer, const LayerPass& pass,
                       const System& system, std::int64_t tensor);

struct ServingOptions {
  std::int64_t prompt = 4096;   ///< tokens of prefill
  std::int64_t context = 4096;  ///< tokens in the caches when one is decoded
  std::int64_t samples = 1;     ///< sequences of a stage at once
  double element_bytes = 2;
};

/// One way of sharing the chips: tensor · pipeline.
struct ServingPoint {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  ServingTime prefill{};  ///< of a layer
  ServingTime decode{};   ///< of a layer
  double ttft_s = 0;      ///< time to the first token
  double prefill_tokens_per_s = 0;
  double tpot_s = 0;  ///< time per output token
  double decode_tokens_per_s = 0;
  double memory_bytes = 0;  ///< weights and caches of a chip
  std::string lacks{};      ///< a memory that is too small, and by what; empty: fits
};

/// The time of a pass through all layers: layers, and hops of activations between stages by the
/// innermost dimension's link. `stage_s` of the slowest stage, hop included: what bounds throughput
/// when every stage is busy.
struct PassTime {
  double total_s = 0;
  double stage_s = 0;
};
PassTime pass_time(const ServedModel& model, const LayerPass& pass, const System& system,
                   std::int64_t tensor, std::int64_t pipeline);

ServingPoint serving_point(const ServedModel& model, const System& system,
                           const ServingOptions& options, std::int64_t tensor,
                           std::int64_t pipeline);

/// All pairs whose product is the system's chips, pipelines no longer than the layers and tensor
/// groups no larger than the heads; the largest group first.
std::vector<ServingPoint> serving_points(const ServedModel& model, const System& system,
                                         const ServingOptions& options);

}  // namespace waferloom::planner
