#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/dfmodel.h"

namespace waferloom::planner {

/// How a chip goes through a layer (DFModel, section II-B).
enum class ChipExecution : std::uint8_t {
  kernel_by_kernel,  ///< every tensor goes through DRAM: GPUs, TPUs
  dataflow,          ///< kernels share the chip, in the best partitions: RDUs, wafers
};
inline constexpr std::array<std::string_view, 2> kExecutionNames{"kernel-by-kernel", "dataflow"};
constexpr std::span<const std::string_view> words_of(ChipExecution /*of*/) {
  return kExecutionNames;
}
std::string_view execution_name(ChipExecution execution);

/// A pass of a layer on one of the chips that share it. Parts go on at once within a partition, so
/// the total is no more than their sum and no less than the longest.
struct LayerTime {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s = 0;
  std::size_t partitions = 0;
  bool is_optimal = false;       ///< proved, of dataflow
  std::string why_infeasible{};  ///< why there is none; then the times are 0
};

// Networks on whole systems (DFModel, sections IV and VI): which dimension of the chips' network
// serves tensor, pipeline and data parallelism. A whole dimension serves one kind of parallelism
// (section IV-C).

enum class Parallelism : std::uint8_t { tensor, pipeline, data };
inline constexpr std::array<std::string_view, 3> kParallelismNames{"TP", "PP", "DP"};
constexpr std::span<const std::string_view> words_of(Parallelism /*of*/) {
  return kParallelismNames;
}

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

/// A network of operators of any kind, which is trained on batches or runs forward over them.
struct NetworkJob {
  Workload network{};
  double batch = 1;  ///< samples of a step, over all replicas; a whole number
  bool training = true;
  double element_bytes = 2;
  double state_bytes = 16;  ///< of a parameter in training
  /// FLOP of a step: products and everything else, every sample, no recomputation. Backward takes
  /// the products twice.
  double flop() const;
};

/// Throws RequestError for networks that systems do not know, and for parts of samples.
void check_job(const NetworkJob& job);

/// The operators of a graph of kernels with figures of its own, written out for all repeats: one
/// sample is what the graph works on. Throws RequestError, with the kernel's name, for figures that
/// no operator has: products whose FLOP or bytes are not those of their extents, and kernels of
/// graphs that chips share already.
Workload kernels_as_operators(const DataflowGraph& graph);

/// What a system is asked for.
using ChipsJob = std::variant<TransformerJob, NetworkJob>;

/// A stack of equal transformer layers as DFModel has it: their embedding, head and linear
/// operators, if any, are left out (transformer_job). Any other network whole. Throws RequestError
/// for networks that systems do not know.
ChipsJob chips_job(const Workload& workload, double batch, bool training);

struct SystemPlanChoice {
  std::vector<Parallelism> dimensions{};  ///< for each dimension of the system
  double micro_batch = 1;                 ///< samples
  bool recompute = false;  ///< forward again in backward; only layers' inputs are kept
  /// Of networks with exchanges: the chips of a tensor group cut operators with weights by samples,
  /// each with a copy, and share tables and kernels of graphs.
  bool by_samples = false;
  bool operator==(const SystemPlanChoice&) const = default;
};

/// The seconds of a step and the bytes on a chip, by cause.
struct SystemPlan {
  SystemPlanChoice choice{};
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  double micro_batches = 1;  ///< of a replica
  /// Of the stage with the most layers; of a network of operators those of the stage whose bytes
  /// are the most.
  double stage_layers = 1;
  std::vector<Sharding> sharding{};
  double shared_bytes = 0;  ///< communicated by a layer's forward pass, by sharding.h
  // Sharding, bytes and times of a layer are of stacks of equal layers alone.
  LayerTime forward{};   ///< of a layer and a micro-batch
  LayerTime backward{};  ///< with recomputation, if there is any
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
constexpr std::span<const std::string_view> words_of(Objective /*of*/) { return kObjectiveNames; }

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

/// A network of operators, priced as tiles seen as chips are (PlanTimer::dfmodel):
/// - the operators are cut into stages so that the slowest takes least,
/// - all chips of a tensor group share each operator, by its outputs or by heads, and an operator
///   takes the longest of its work, its traffic with memory and its exchanges,
/// - a stage passes on its output while it works; the slowest stage or transfer sets the pace,
/// - tables of networks with exchanges (OperatorRole) have two bytes a parameter, and the rows that
///   samples read move; by_samples is a choice of such networks,
/// - gradients are reduced and the optimizer updates its states once a step, behind all else.
/// Recomputation is of transformer layers. Otherwise as above.
SystemPlan system_plan(const NetworkJob& job, const System& system, const SystemPlanChoice& choice,
                       const SystemPlanOptions& options);

/// All choices, ranked by `objective`: 3^dimensions · micro-batches (· 2 with recomputation).
/// Impossible choices come last. Equal choices stay in the order of enumeration. A dimension of a
/// single chip has no choice and is listed as tensor. The result is the same at any number of
/// threads, unless the control ends the work early. Throws RequestError if missing_for() names
/// anything.
std::vector<SystemPlan> ranked_system_plans(const TransformerJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective);
/// Likewise. Operators have few weights and many samples where layers have many weights, so behind
/// the options' micro-batches come those of four times as many samples each, up to the batch.
std::vector<SystemPlan> ranked_system_plans(const NetworkJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective);
std::vector<SystemPlan> ranked_system_plans(const ChipsJob& job, const System& system,
                                            const SystemPlanOptions& options, Objective objective);

/// A step of a system, and the samples that are done behind it.
struct SystemStep {
  double seconds = 0;
  double samples = 1;
};
/// The value of an objective; less is better. Time: seconds of a step. Throughput: minus samples/s.
/// Cost: dollars of the system times seconds of a sample. Energy: joules of a sample.
double objective_value(Objective objective, const SystemStep& step, const System& system);

/// The key that the objective needs and the system lacks: "price_usd" (cost) or "power_w" (energy).
/// Without it all plans of the system would be equal. Empty if nothing is missing.
std::string missing_for(Objective objective, const System& system);

/// A network in training or forward, and its plans over a system, the best first.
struct SystemPlans {
  ChipsJob network;
  std::vector<SystemPlan> plans;
};
/// Plans a batch of a network over a system of chips. Throws InfeasibleError, with what the first
/// plan lacks, where none fits, and RequestError as chips_job and ranked_system_plans.
SystemPlans plans_for_system(const Workload& workload, std::int64_t batch, bool trains,
                             const System& system, const SystemPlanOptions& options,
                             Objective objective);

/// The plan that the file of a possible SystemPlan holds: its degrees, micro-batches and schedule,
/// and how a layer's kernels are sharded and cut into partitions on a chip, by name. The partitions
/// are those of a forward pass of one micro-batch, the best by best_mapping, which takes most of
/// the time; none where no mapping fits. Throws RequestError as best_mapping does.
Plan written_plan(const SystemPlan& best, const TransformerJob& job, const System& system);
/// Of a network of operators: degrees, micro-batches and schedule.
Plan written_plan(const SystemPlan& best, const ChipsJob& job, const System& system);
/// Whether a tile of the machine's fabric is one of its chips, so that plans of these run there.
/// The one chip of a mesh is all of its tiles.
bool has_fabric_of_chips(const Machine& machine);

}  // namespace waferloom::planner
