#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/system.h"
#include "planner/amped/amped_network.h"

namespace waferloom::planner {

// AMPeD (Moolchandani et al., ISPASS 2023): how long a transformer trains on nodes of accelerators.
// Equations are the paper's; what they leave open is settled in docs/amped.md. Bytes, seconds and
// FLOP throughout; links in bytes/s (the paper's bit/s are an eighth).

inline constexpr double kBitsPerByte = 8;

/// What makes the peak rate of an accelerator.
struct FunctionalUnits {
  double clock_hz = 0;     ///< f
  std::int64_t cores = 1;  ///< N_cores; 1 for non-linear units, as Eq. 4 has it
  std::int64_t units = 1;  ///< N_FU of a core
  std::int64_t width = 1;  ///< W_FU: FLOP of a unit and cycle
};
/// The inverse of Eqs. 3 and 4 at full efficiency, FLOP/s.
double peak_flop_per_s(const FunctionalUnits& units);

/// How many ways each kind of parallelism cuts at one level: inside a node or among nodes.
struct AmpedLevel {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t product() const { return tensor * pipeline * data; }
  bool operator==(const AmpedLevel&) const = default;
};

struct AmpedDegrees {
  AmpedLevel inside{};
  AmpedLevel among{};
  std::int64_t tensor() const { return inside.tensor * among.tensor; }
  std::int64_t pipeline() const { return inside.pipeline * among.pipeline; }
  std::int64_t data() const { return inside.data * among.data; }
  std::int64_t chips() const { return inside.product() * among.product(); }
  bool operator==(const AmpedDegrees&) const = default;
};
/// "TP8 PP1 DP2" of a level.
std::string level_text(const AmpedLevel& level);

/// Nodes as AMPeD sees them: dimensions[0] is inside a node, dimensions[1] among nodes; a level
/// that a system does not have is one chip or one node.
struct AmpedNodes {
  std::int64_t chips = 1;  ///< of a node
  std::int64_t nodes = 1;
};
/// Throws RequestError if a system has more than two dimensions.
AmpedNodes amped_nodes(const System& system);

/// Degrees laid over a system: tensor parallelism inside a node as far as its factors go, then
/// data, then pipeline, the rest among nodes. Throws RequestError if the product is not
/// the number of chips, or a level cannot be filled.
AmpedDegrees nested_degrees(const AmpedLevel& total, const System& system);

/// Eq. 8's compute part as printed, with 1/L, or without: summed over layers the former is L times
/// too small, and the paper's case studies need it.
enum class BubbleForm : std::uint8_t { consistent, literal };

/// What Eq. 7 counts of a stage's transfers: one of the effective batch, as printed (the others are
/// hidden behind computation), or those of all N_ub micro-batches.
enum class TransferForm : std::uint8_t { single, every };

/// What a hierarchical all-reduce sends among nodes: everything, as printed (Eq. 10), or what a
/// reduce-scatter inside the node leaves to each of its chips.
enum class HierarchyForm : std::uint8_t { full, scattered };

struct AmpedTraining {
  double batch = 1;          ///< B, samples of all replicas
  double tokens = 0;         ///< of the training; 0: one batch
  double micro_batches = 0;  ///< N_ub of a replica's batch; 0: N_PP, as in the paper
  bool recompute = false;    ///< activations are computed again in backward: U_b = 3 U_f, not 2 U_f
  double bubble_ratio = 1;   ///< R: bubbles that do not overlap, of those of a naive pipeline
  double zero_overhead = 0;  ///< M_fDP of Eq. 5: 0.5 for what ZeRO's third stage adds
  std::int64_t zero = 0;     ///< stage of ZeRO, for memory alone
  BubbleForm bubble = BubbleForm::consistent;
  HierarchyForm all_reduce = HierarchyForm::full;
  TransferForm transfers = TransferForm::single;
  double parameter_bits = 16;   ///< S_p
  double activation_bits = 16;  ///< S_act
  double gradient_bits = 16;    ///< S_g
  double element_bits = 0;      ///< S_nonlin; 0: what the chip's units work on
  bool elements = true;         ///< N_nonlin is counted
  bool ends = true;             ///< embedding and head are counted
  std::int64_t expert_ways =
      0;  ///< parts that the experts of a layer lie in; 0: gcd(experts, N_DP)
  std::optional<double> inside_factor{};   ///< T_intra in place of what the topology gives
  std::optional<double> among_factor{};    ///< T_inter
  std::optional<double> experts_factor{};  ///< T_MoE
};

/// Seconds of one batch by part, and what they were computed under.
struct AmpedBreakdown {
  double forward = 0;        ///< computation
  double backward = 0;       ///< computation
  double update = 0;         ///< computation
  double tensor_inside = 0;  ///< all-reduces of activations, forward and backward
  double tensor_among = 0;
  double pipeline = 0;          ///< transfers between stages
  double experts = 0;           ///< all-to-alls
  double zero = 0;              ///< what M_fDP adds
  double gradients_inside = 0;  ///< all-reduces of gradients
  double gradients_among = 0;
  double bubble = 0;
  double batch_s() const;

  double batches = 1;          ///< N_batch, not rounded
  double effective_batch = 0;  ///< b = B / (N_DP N_PP)
  double micro_batch = 0;      ///< ub: samples
  double micro_batches = 0;    ///< N_ub
  double efficiency = 0;       ///< eff(ub)
  /// Of a batch and all chips: matrix products of forward and backward, those that are computed
  /// again among them, embedding and head always, as Narayanan et al. (SC'21) count.
  double flop = 0;
  double chips = 1;
  double seconds() const { return batches * batch_s(); }
  double days() const { return seconds() / 86'400; }
  double flop_per_s_of_chip() const { return flop / batch_s() / chips; }
};

struct AmpedPart {
  const char* name;  ///< as in reports
  const char* words;
  double AmpedBreakdown::*seconds;
};
/// The parts whose sum batch_s() is, in the order of Eq. 1.
inline constexpr AmpedPart kAmpedParts[] = {
    {"forward", "compute, forward", &AmpedBreakdown::forward},
    {"backward", "compute, backward", &AmpedBreakdown::backward},
    {"update", "compute, weight update", &AmpedBreakdown::update},
    {"tensor_inside", "TP inside nodes", &AmpedBreakdown::tensor_inside},
    {"tensor_among", "TP among nodes", &AmpedBreakdown::tensor_among},
    {"experts", "MoE all-to-all", &AmpedBreakdown::experts},
    {"pipeline", "PP transfers", &AmpedBreakdown::pipeline},
    {"zero", "ZeRO overhead", &AmpedBreakdown::zero},
    {"gradients_inside", "gradients inside nodes", &AmpedBreakdown::gradients_inside},
    {"gradients_among", "gradients among nodes", &AmpedBreakdown::gradients_among},
    {"bubble", "pipeline bubbles", &AmpedBreakdown::bubble},
};

/// Eqs. 1 to 12. Throws RequestError, with one sentence and its numbers, if the degrees do
/// not fill the system's nodes, for a system of more than two dimensions, one that has chips to
/// join but no bandwidth, or a training of less than one sample or micro-batch.
AmpedBreakdown amped_time(const AmpedNetwork& network, const System& system,
                          const AmpedDegrees& degrees, const AmpedTraining& training);

// The equations by themselves.

struct AmpedLink {
  double latency_s = 0;    ///< C
  double bytes_per_s = 1;  ///< BW
};

/// T of an all-reduce among n: the steps of the topology over n. 2(n-1)/n on a ring and behind a
/// switch, 2/n where all are connected, twice a ring's on a line of more than two; 0 for n = 1.
double all_reduce_factor(DimensionTopology topology, double n);

/// Eqs. 6 and 11: C T n + bytes / BW T; `bytes` are what every member has.
double all_reduce_s(double bytes, double n, double factor, const AmpedLink& link);

/// Eq. 7: (C + bytes / BW) / L, of a layer.
double stage_transfer_s(double bytes, double layers, const AmpedLink& link);

/// Eq. 9: both all-to-alls of a layer; `bytes` are the activations of a chip.
struct AmpedAllToAll {
  double bytes = 0;
  double nodes = 1;
  double factor = 0;  ///< T_MoE, (nodes - 1) / nodes for pairwise exchange
  AmpedLink inside{};
  AmpedLink among{};
};
double all_to_all_s(const AmpedAllToAll& at);

/// Eq. 8 of a layer.
struct AmpedBubble {
  double ratio = 1;  ///< R
  double stages = 1;
  double micro_batches = 1;
  double compute_s = 0;        ///< (U_f + U_b) / (N_TP N_DP N_PP)
  double communication_s = 0;  ///< M_f + M_b
  double divisor = 1;          ///< L in the literal form
};
double bubble_s(const AmpedBubble& at);

}  // namespace waferloom::planner
