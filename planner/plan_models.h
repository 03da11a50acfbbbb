#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/amped.h"
#include "planner/centimani.h"
#include "planner/dfmodel.h"

namespace waferloom::planner {

struct OperatorMapping {
  DataflowGraph whole;             ///< of a layer, before sharding
  std::vector<Sharding> sharding;  ///< of the kernels of `whole`
  DataflowGraph forward;           ///< of a tile
  DataflowGraph backward;          ///< of a tile: `forward` with more FLOP and bytes
  Partitions partitions;           ///< of both
  bool is_optimal = false;         ///< sharding and partitions are proved to be the best
  std::string why_infeasible{};    ///< why there are no partitions; the other fields still hold
};

/// Seconds of a micro-batch on a tile. memory_s and network_s are only the parts that computation
/// does not hide, partition by partition, and the loads of weights.
struct ExposedTimes {
  double compute_s = 0;
  double memory_s = 0;
  double network_s = 0;
  double total_s() const { return compute_s + memory_s + network_s; }
  ExposedTimes& operator+=(const ExposedTimes& other);
};

/// What Centimani says of some degrees: which micro-batches fit the memory, and which one it takes.
struct MicroBatchFit {
  BatchChoice choice;  ///< over all micro-batches that divide a replica's samples
  /// Of each: whether activations are computed again, because they do not fit otherwise.
  std::vector<bool> recomputed;
  System machine;  ///< all tiles in use together: what the choice was made for
};

/// Walks the tensors of a network's stages (centimani/liveness.h) through the memory of the tiles
/// that a plan uses. Keeps what it has walked.
class PlanFitter {
 public:
  /// Both have to live longer.
  PlanFitter(const Workload& workload, const Hardware& hardware);

  /// The micro-batches of a plan's degrees, its own and their number left aside; `batch` samples in
  /// all. Stages are cut by FLOP; stage i of p keeps what min(p - i, number of micro-batches)
  /// of them left for backward. Behind the wafer's edge all stages share what there is; otherwise
  /// the stage that needs most counts for each. Replicas divide states, gradients of weights and
  /// weights as ZeRO says; gradients of outputs each has of its own. Of inference weights and the
  /// largest two outputs of an operator count. O(stages + operators) for each micro-batch.
  MicroBatchFit fit(const Plan& degrees, std::int64_t batch);

 private:
  /// Bytes of each class of tensors, and of the outputs' gradients alone, all stages of one replica
  /// together, or the largest times their number.
  struct Bytes {
    std::vector<double> together;
    std::vector<double> largest;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, int>;
  const Bytes& bytes(const Plan& plan, bool recompute);

  const Workload& workload_;
  const Hardware& hardware_;
  Living living_;
  std::vector<OperatorFootprint> whole_;       ///< what backward needs is kept
  std::vector<OperatorFootprint> recomputed_;  ///< of layers their inputs alone
  std::map<std::int64_t, std::vector<std::pair<std::size_t, std::size_t>>> ranges_;  ///< by stages
  std::map<Key, Bytes> known_;
};

/// Why no plan fits whatever its degrees: weights, and in training the states of the optimizer, lie
/// once at least in the memory behind the wafer's edge, and are more than all of it. "weights and
/// optimizer states alone need 1,400 bytes of edge memory, and there are 1,000"; nothing where that
/// is not so, tiles have a memory of their own, or `base` leaves operators out. O(operators).
std::optional<std::string> why_nothing_fits(const Workload& workload, const Hardware& hardware,
                                            const Plan& base);

// The planner's models predict how long a batch of a plan takes. They need no layout. Reports show
// their times beside those of the simulation.

/// What AMPeD knows of a plan, its degrees left aside. A stage of several chunks waits that much
/// shorter in the pipeline's bubbles; ZeRO's third stage adds half of the traffic to Eq. 5.
AmpedTraining amped_training(const Plan& plan);

/// The parts of a batch's time, on the stage that sets the pace.
enum class BatchPart : std::uint8_t {
  compute,   ///< forward, backward and recomputation
  memory,    ///< waiting for streams from and to the memory behind SRAM
  tensor,    ///< exchange among the tiles of a tensor group
  pipeline,  ///< transfers between stages
  data,      ///< gradients and parameters among replicas
  update,    ///< the optimizer's pass over its states
  bubble,    ///< waiting for other stages
};
inline constexpr std::size_t kBatchParts = 7;
inline constexpr std::array<std::string_view, kBatchParts> kBatchPartNames{
    "compute", "memory", "tensor", "pipeline", "data", "update", "bubble"};
/// Of rows of a part's seconds.
inline constexpr std::array<std::string_view, kBatchParts> kBatchPartMeanings{
    "seconds of computing: forward, backward and recomputation",
    "seconds of waiting for streams from and to the memory behind SRAM",
    "seconds of exchanges among the tiles of a tensor group",
    "seconds of transfers between stages",
    "seconds of gradients and parameters among replicas",
    "seconds of the optimizer's pass over its states",
    "seconds of waiting for other stages"};

/// Seconds by part.
struct BatchTimes {
  std::array<double, kBatchParts> seconds{};
  double& operator[](BatchPart part) { return seconds[static_cast<std::size_t>(part)]; }
  double operator[](BatchPart part) const { return seconds[static_cast<std::size_t>(part)]; }
  double total_s() const;
};

/// A model's prediction for a plan.
struct PlanTime {
  BatchTimes batch;
  double samples_per_s = 0;
  /// Of a micro-batch through all stages: forward, in training backward too.
  double latency_s = 0;
};

/// The times of an operator or a stage for a micro-batch, with its parameters and output.
struct PricedStage {
  ExposedTimes forward;
  ExposedTimes backward;         ///< recomputation included
  double parameters = 0;         ///< without those of tables
  double copied_parameters = 0;  ///< more of them, if each chip of a tensor group has its own
  double table_parameters = 0;   ///< of which a sample reads some rows
  double row_bytes = 0;          ///< of tables, of a micro-batch: those that its samples read
  double kept_elements = 0;      ///< of a micro-batch: on a tile, what forward keeps for backward
  double most_passed = 0;        ///< elements of an operator's input and output on a tile, the most
  double output_bytes = 0;       ///< of a micro-batch, all tiles of a tensor group together
  std::size_t operators = 1;
  double total_s() const { return forward.total_s() + backward.total_s(); }
  PricedStage& operator+=(const PricedStage& next) {
    forward += next.forward;
    backward += next.backward;
    parameters += next.parameters;
    copied_parameters += next.copied_parameters;
    table_parameters += next.table_parameters;
    row_bytes += next.row_bytes;
    kept_elements += next.kept_elements;
    most_passed = std::max(most_passed, next.most_passed);
    operators += next.operators;
    output_bytes = next.output_bytes;
    return *this;
  }
};

/// The chips that a plan uses, or tiles as the planner's models see machines: each tile a chip with
/// its part of what lies behind the wafer's edge.
struct TilesAsChips {
  /// Of tiles two dimensions: those of a tensor group, and the groups (replicas times stages).
  System system;
  std::vector<NetworkDimension> group{};     ///< joins a tensor group, innermost first
  std::vector<NetworkDimension> replicas{};  ///< joins what is the same part of each replica
  /// Between stages: of all tiles of a tensor group together, in one direction.
  double stage_bytes_per_s = 0;
  double stage_latency_s = 0;
};

/// What an operator is in a network with exchanges, which say what its chips hand each other (a
/// recommendation model). A table is an embedding: chips of a tensor group have whole rows of their
/// own, a batch reads, and changes, those of its samples, and no optimizer's state is kept of
/// them. A sum right behind it is pooling, done as rows come.
enum class OperatorRole : std::uint8_t { plain, table, pooling };

/// A machine as PlanTimer sees it.
struct PricedMachine {
  /// The chips, or tiles seen as such, that a plan uses.
  std::function<TilesAsChips(const Plan& plan)> view{};
  std::optional<double> sram_bytes{};  ///< of a chip; nothing: no limit
  std::int64_t element_bytes = 2;      ///< of a tensor
  bool moves_activations = false;      ///< every tensor goes through the memory behind SRAM
  /// A tensor group cuts operators with weights by samples, each chip with a copy, not by outputs;
  /// tables and kernels of graphs it shares all the same.
  bool by_samples = false;
};

/// Prices plans of a network on a machine. prepare() searches the best partitions of a layer once
/// for each number of tiles and samples. After that, pricing a plan takes microseconds.
class PlanTimer {
 public:
  /// Workload and hardware have to live longer than the timer.
  PlanTimer(const Workload& workload, const Hardware& hardware);
  /// On chips, for which AMPeD has models of its own. The workload has to live longer.
  PlanTimer(const Workload& workload, PricedMachine machine);

  /// Searches the mappings that the plans need, each once, on `threads` threads. Throws
  /// RequestError, with one sentence, if a plan cannot be mapped. Once the control is cut, it ends
  /// early and keeps no new mapping: answers whether all are there.
  bool prepare(const std::vector<Plan>& plans, int threads, const RunControl& control = {});

  /// The model of DFModel and PALM. The plan's mappings have to be prepared.
  /// - Operators are cut into stages; the longest stage is as short as possible.
  /// - A stage runs the partitions of its operators one after another. A partition takes the
  ///   longest of its compute, memory and network times (operator_mapping.h).
  /// - The longest stage or transfer sets the pace of micro-batches (PALM, Eq. 1).
  /// - Gradients are reduced, and the optimizer updates its states, once a batch.
  /// - There is no contention between transfers.
  PlanTime dfmodel(const Plan& plan) const;

  /// The stages of that model, from the first to the last. The mappings have to be prepared.
  std::vector<PricedStage> stages(const Plan& plan) const;

  /// The model of AMPeD (amped.h), with tensor groups as nodes. It has no memory time. Nothing for
  /// a network without transformer layers, and for inference: AMPeD does not cover them.
  std::optional<PlanTime> amped(const Plan& plan) const;

  /// The mapping of the plan's first transformer layer, searched again at the plan's own rates.
  /// Nothing for a network without transformer layers.
  std::optional<OperatorMapping> layer(const Plan& plan) const;

  /// Whether the stages' weights stay in SRAM; in training with gradients and optimizer states.
  bool is_resident(const Plan& plan) const;
  /// Whether activations stay in SRAM too. In training: all that forward keeps for backward, for
  /// the micro-batches in flight on the first stage. In inference: input and output of the largest
  /// operator.
  bool activations_stay(const Plan& plan) const;

 private:
  /// What stays in SRAM between micro-batches.
  struct Stays {
    bool weights;
    bool activations;
  };
  Stays stays(const Plan& plan) const;
  double weight_bytes(const Plan& plan) const;
  /// Kind, tensor, samples, what stays, sequence parallelism, how products go through SRAM.
  using Key = std::tuple<std::size_t, std::int64_t, std::int64_t, bool, bool, bool, Reuse>;
  static Key key(std::size_t kind, const Plan& plan, const Stays& stays);
  OperatorMapping mapped(std::size_t kind, const Plan& plan, const Stays& stays) const;
  /// The times of a micro-batch for each operator that is not left out, in the network's order.
  /// Equal operators are priced once.
  std::vector<PricedStage> priced(const Plan& plan, const Stays& stay,
                                  const TilesAsChips& view) const;
  double element_bytes() const { return static_cast<double>(machine_.element_bytes); }

  const Workload& workload_;
  PricedMachine machine_;
  std::vector<OperatorKind> kinds_;   // all different
  std::vector<std::size_t> kind_of_;  // of each operator
  std::vector<OperatorRole> roles_;   // of each kind
  std::optional<AmpedNetwork> amped_;
  std::map<Key, OperatorMapping> mappings_;
};

}  // namespace waferloom::planner
