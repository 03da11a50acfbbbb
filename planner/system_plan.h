#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/system.h"
#include "model/workload.h"
#include "planner/layer_execution.h"
#include "planner/sharding.h"

namespace waferloom::planner {

// Transformers on whole systems (DFModel, sections IV and VI): which dimension of the network
// serves tensor, pipeline and data parallelism. A dimension serves one of them, whole (section
// IV-C).

enum class Parallelism : std::uint8_t { tensor, pipeline, data };
inline constexpr std::array<std::string_view, 3> kParallelismNames{"TP", "PP", "DP"};

/// A transformer of equal layers, trained on batches or run forward over them.
struct TransformerJob {
  std::string name = "transformer";
  TransformerOperator layer{};
  double layers = 1;
  double batch = 1;  ///< samples of a step, over all replicas
  double element_bytes = 2;
  bool training = true;
  /// What a parameter takes in memory in training: 2 + 2 of weight and gradient, 12 of the
  /// optimizer in full precision (Adam).
  double state_bytes = 16;
  /// FLOP of a step, as DFModel counts: whole layers, every sample, no recomputation.
  double flop() const;
  double parameters() const;  ///< of the layers' matrices
};

/// Throws RequestError for sizes below 1 and heads that do not divide.
void check_job(const TransformerJob& job);

/// The transformer layers of a network, which have to be all alike; embedding and head are left
/// out, as DFModel does. Throws RequestError where there are none, or several kinds.
TransformerJob transformer_job(const Workload& workload, double batch, bool training);

struct SystemPlanChoice {
  std::vector<Parallelism> dimensions{};  ///< of each of the system's
  double micro_batch = 1;                 ///< samples
  bool recompute = false;  ///< forward again in backward; only layers' inputs are kept
  bool operator==(const SystemPlanChoice&) const = default;
};

/// What a step takes on every chip, and what for. Seconds.
struct SystemPlan {
  SystemPlanChoice choice{};
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  double micro_batches = 1;  ///< of a replica
  double stage_layers = 1;   ///< of the stage that has most
  std::vector<Sharding> sharding{};
  double shared_bytes = 0;  ///< that a layer's forward pass communicates, by sharding.h
  LayerTime forward{};      ///< of a layer and a micro-batch
  LayerTime backward{};     ///< with recomputation, if there is any
  // The step: steady + bubble + data_parallel = total.
  double steady_s = 0;         ///< micro-batches times the longest stage
  double bubble_s = 0;         ///< the pipeline fills and drains
  double data_parallel_s = 0;  ///< all-reduce of gradients
  double total_s = 0;
  // What a chip is busy with, some of it at once: parts of steady_s and data_parallel_s.
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;         ///< of tensor and data parallelism
  double sent_s = 0;            ///< along the pipeline
  double state_bytes = 0;       ///< weights, gradients, optimizer; of a chip
  double activation_bytes = 0;  ///< that forward keeps
  double utilisation = 0;       ///< of all chips' peak
  std::string problem{};        ///< why it cannot be; then there are no times
  bool is_possible() const { return problem.empty(); }
};

enum class Objective : std::uint8_t { time, throughput, cost, energy };
inline constexpr std::array<std::string_view, 4> kObjectiveNames{"time", "throughput", "cost",
                                                                 "energy"};

struct SystemPlanOptions {
  ChipExecution execution = ChipExecution::dataflow;
  std::vector<double> micro_batches{1, 2, 4, 8, 16};
  bool may_recompute = true;
  bool keeps_weights = true;  ///< weights stay in SRAM where all of a stage's fit
  int threads = 1;
  std::function<bool()> is_over{};  ///< asked before each choice; true leaves out the others
};

/// One choice. Throws std::logic_error unless it has a strategy for each dimension of the system.
/// With t the longest stage's time of a micro-batch, m micro-batches and p stages:
///
///     t = max(layers of the stage · (forward + backward), sending its output on, there and back)
///     total = m t + (p - 1) t + all-reduce of the stage's gradients
///
/// The layer is sharded with the least communication (sharding.h), then mapped onto a chip
/// (layer_execution.h). What a choice needs: micro-batches that divide a replica's samples, no more
/// stages than layers, and memory for states and activations (of as many micro-batches as there
/// are stages, at most m).
SystemPlan system_plan(const TransformerJob& job, const System& system,
                       const SystemPlanChoice& choice, const SystemPlanOptions& options);

/// All choices, 3^dimensions · micro-batches (· 2 with recomputation), ranked by `objective`: the
/// impossible ones last, equals in the order of enumeration. Dimensions of one chip serve nothing
/// and are no choice: they stand as tensor. The same at any number of threads, unless it is over
/// before all are made. Throws RequestError for what missing_for() tells.
std::vector<SystemPlan> ranked_system_plans(const TransformerJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective);

/// Less is better. Time: seconds a step; throughput: minus samples/s; cost: dollars of the system
/// times seconds a sample; energy: joules a sample.
double objective_value(Objective objective, double step_s, double samples, const System& system);

/// What an objective needs and a system does not say, with which all its plans would be equals:
/// "price_usd" (cost), "power_w" (energy). Empty where nothing is missing.
std::string missing_for(Objective objective, const System& system);

}  // namespace waferloom::planner
