#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/bottleneck.h"
#include "model/run_control.h"
#include "model/system.h"
#include "model/workload.h"
#include "planner/layer_execution.h"
#include "planner/sharding.h"

namespace waferloom::planner {

// Transformers on whole systems (DFModel, sections IV and VI): which dimension of the network
// serves tensor, pipeline and data parallelism. A whole dimension serves one kind of parallelism
// (section IV-C).

enum class Parallelism : std::uint8_t { tensor, pipeline, data };
inline constexpr std::array<std::string_view, 3> kParallelismNames{"TP", "PP", "DP"};

/// A transformer of equal layers. It is trained on batches, or runs forward over them.
struct TransformerJob {
  std::string name = "transformer";
  TransformerOperator layer{};
  double layers = 1;
  double batch = 1;  ///< samples of a step, over all replicas
  double element_bytes = 2;
  bool training = true;
  /// Bytes of memory that a parameter takes in training: 2 + 2 for weight and gradient, 12 for
  /// Adam's states in full precision.
  double state_bytes = 16;
  /// FLOP of a step, as DFModel counts: whole layers, every sample, no recomputation.
  double flop() const;
  double parameters() const;  ///< of the layers' matrices
};

/// Throws RequestError for sizes below 1, and for heads that do not divide the hidden size.
void check_job(const TransformerJob& job);

/// The transformer layers of a network, without embedding and head, as in DFModel. Throws
/// RequestError if there are no layers, or if they are not all alike.
TransformerJob transformer_job(const Workload& workload, double batch, bool training);

struct SystemPlanChoice {
  std::vector<Parallelism> dimensions{};  ///< for each dimension of the system
  double micro_batch = 1;                 ///< samples
  bool recompute = false;  ///< forward again in backward; only layers' inputs are kept
  bool operator==(const SystemPlanChoice&) const = default;
};

/// The seconds of a step and the bytes on a chip, by cause.
struct SystemPlan {
  SystemPlanChoice choice{};
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  double micro_batches = 1;  ///< of a replica
  double stage_layers = 1;   ///< of the stage with the most layers
  std::vector<Sharding> sharding{};
  double shared_bytes = 0;  ///< communicated by a layer's forward pass, by sharding.h
  LayerTime forward{};      ///< of a layer and a micro-batch
  LayerTime backward{};     ///< with recomputation, if there is any
  // The step: steady + bubble + data_parallel = total.
  double steady_s = 0;         ///< micro-batches times the longest stage
  double bubble_s = 0;         ///< the pipeline fills and drains
  double data_parallel_s = 0;  ///< all-reduce of gradients
  double total_s = 0;
  // Busy times of a chip within steady_s and data_parallel_s. They may overlap.
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;         ///< of tensor and data parallelism
  double sent_s = 0;            ///< along the pipeline
  double state_bytes = 0;       ///< weights, gradients, optimizer; of a chip
  double activation_bytes = 0;  ///< kept by forward
  double utilisation = 0;       ///< of all chips' peak
  std::string problem{};        ///< why the plan is impossible; then there are no times
  bool is_possible() const { return problem.empty(); }
};

/// What a chip of a possible plan is busy with for longest, or the pipeline's waiting, for a step.
std::optional<Bottleneck> system_bottleneck(const SystemPlan& plan);

enum class Objective : std::uint8_t { time, throughput, cost, energy };
inline constexpr std::array<std::string_view, 4> kObjectiveNames{"time", "throughput", "cost",
                                                                 "energy"};

struct SystemPlanOptions {
  ChipExecution execution = ChipExecution::dataflow;
  std::vector<double> micro_batches{1, 2, 4, 8, 16};
  bool may_recompute = true;
  bool keeps_weights = true;  ///< weights stay in SRAM if a stage's take no more than half of it
  int threads = 1;
  RunControl control{};  ///< asked before each choice; leaves out the others once it is cut
};

/// Prices a choice. Throws std::logic_error unless it has a strategy for each dimension of the
/// system. With t the time of a micro-batch in the longest stage, m micro-batches and p stages:
///
///     t = max(layers of the stage · (forward + backward), sending the output and its gradient)
///     total = m t + (p - 1) t + all-reduce of the stage's gradients
///
/// The layer is sharded with the least communication (sharding.h), then mapped onto a chip
/// (layer_execution.h). A choice is possible if
/// - micro-batches divide a replica's samples,
/// - there are no more stages than layers, and
/// - states and activations fit the memory, with activations of min(m, p) micro-batches.
SystemPlan system_plan(const TransformerJob& job, const System& system,
                       const SystemPlanChoice& choice, const SystemPlanOptions& options);

/// All choices, ranked by `objective`: 3^dimensions · micro-batches (· 2 with recomputation).
/// Impossible choices come last. Equal choices stay in the order of enumeration. A dimension of a
/// single chip has no choice and is listed as tensor. The result is the same at any number of
/// threads, unless the control ends the work early. Throws RequestError if missing_for() names
/// anything.
std::vector<SystemPlan> ranked_system_plans(const TransformerJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective);

/// The value of an objective; less is better. Time: seconds of a step. Throughput: minus samples/s.
/// Cost: dollars of the system times seconds of a sample. Energy: joules of a sample.
double objective_value(Objective objective, double step_s, double samples, const System& system);

/// The key that the objective needs and the system lacks: "price_usd" (cost) or "power_w" (energy).
/// Without it all plans of the system would be equal. Empty if nothing is missing.
std::string missing_for(Objective objective, const System& system);

}  // namespace waferloom::planner
