#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::planner {

/// Layers of a transformer that are alike, as AMPeD counts them (ISPASS 2023, section IV). All
/// numbers are of one layer and, but for parameters, of one sample.
struct AmpedLayer {
  std::string name;
  double count = 1;              ///< layers that are like this
  double matrix_flop = 0;        ///< N_MAC in FLOP: a product and a sum are two
  double element_flop = 0;       ///< N_nonlin
  double activations = 0;        ///< s · h, elements
  double parameters = 0;         ///< of what every replica has
  double expert_parameters = 0;  ///< of all experts of the layer together; 0: it has none
  double saved = 0;              ///< elements that backward needs of forward
  /// What an OperatorCount has of the same names.
  double moved = 0;
  double moved_whole = 0;
  double moved_attention = 0;
  double attention_flop = 0;
  double attention_element_flop = 0;
  double saved_attention = 0;
  bool has_experts() const { return expert_parameters > 0; }
};

/// A mixture of experts: every `every`-th transformer layer (the last of each so many) has
/// `experts` feed-forward networks, of which `active` work on a token.
struct AmpedExperts {
  std::int64_t experts = 0;  ///< 0 or 1: no layer has experts
  std::int64_t active = 1;
  std::int64_t every = 1;
};

struct AmpedNetwork {
  std::string name;
  std::int64_t tokens = 1;   ///< s, of a sample
  std::int64_t heads = 1;    ///< the fewest of any layer
  std::int64_t experts = 0;  ///< of a layer that has some
  AmpedExperts mixture{};    ///< which these are: the workload's own, or those asked for
  std::vector<AmpedLayer> layers;
  /// What is no transformer layer, together: embedding and head. Part of the pipeline as a layer
  /// is, but without communication of its own, and not computed again in backward.
  AmpedLayer ends;
  /// Parameters of the ends on the first and the last of several stages: what comes before the
  /// first transformer layer, and the rest. A tied head has its own copy of the embedding there.
  double first_parameters = 0;
  double last_parameters = 0;
  double layer_count() const;  ///< L: transformer layers
  double parameters() const;   ///< of layers, experts and ends
};

/// Counts a workload; `experts` are for one whose layers have none. Throws RequestError, with one
/// sentence, for experts beside a workload's own, a workload without transformer layers, `active`
/// above `experts`, `every` above the number of layers, or a number below 1; std::overflow_error as
/// count() does.
AmpedNetwork amped_network(const Workload& workload, const AmpedExperts& experts = {});

// AMPeD (Moolchandani et al., ISPASS 2023): how long a transformer trains on nodes of accelerators.
// The equations are the paper's. What they leave open is settled in docs/amped.md. Units are bytes,
// seconds and FLOP. Links have bytes/s: the paper's bit/s divided by 8.

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

/// The degree of each kind of parallelism at a level: inside a node or among nodes.
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

/// Nodes as AMPeD sees them: dimensions[0] is inside a node, dimensions[1] is among nodes. If the
/// system lacks a level, its size is 1.
struct AmpedNodes {
  std::int64_t chips = 1;  ///< of a node
  std::int64_t nodes = 1;
};
/// Throws RequestError if a system has more than two dimensions.
AmpedNodes amped_nodes(const System& system);

/// Splits degrees into those inside a node and those among nodes. Tensor parallelism takes the
/// greatest common divisor of its degree and the chips of a node. Data parallelism does the same
/// with the chips that are left, then pipeline parallelism. The other factors go among nodes.
/// Throws RequestError if the product of degrees is not the number of chips, or if the nodes
/// cannot be filled.
AmpedDegrees nested_degrees(const AmpedLevel& total, const System& system);

/// The compute part of Eq. 8: `literal` has the factor 1/L as printed, `consistent` does not. The
/// sum over layers of the literal form is L times too small. The paper's case studies need it.
enum class BubbleForm : std::uint8_t { consistent, literal };

/// What Eq. 7 counts of a stage's transfers. `single`: a transfer of the effective batch, as
/// printed; computation hides the others. `every`: the transfers of all N_ub micro-batches.
enum class TransferForm : std::uint8_t { single, every };

/// What a hierarchical all-reduce sends among nodes. `full`: all bytes, as printed (Eq. 10).
/// `scattered`: the part that a reduce-scatter inside the node leaves on each of its chips.
enum class HierarchyForm : std::uint8_t { full, scattered };

struct AmpedTraining {
  double batch = 1;          ///< B, samples of all replicas
  double tokens = 0;         ///< of the training; 0: one batch
  double micro_batches = 0;  ///< N_ub of a replica's batch; 0: N_PP, as in the paper
  bool recompute = false;    ///< backward computes activations again: U_b = 3 U_f, not 2 U_f
  bool recompute_attention = false;  ///< backward computes the scores of attention again
  bool sequence_parallel = false;    ///< as of a Plan
  double bubble_ratio = 1;   ///< R: the part of a naive pipeline's bubbles that is not hidden
  double zero_overhead = 0;  ///< M_fDP of Eq. 5: 0.5 for what ZeRO's third stage adds
  std::int64_t zero = 0;     ///< stage of ZeRO: memory, and the optimizer's pass
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
      0;  ///< parts into which replicas divide a layer's experts; 0: gcd(experts, N_DP)
  std::optional<double> inside_factor{};   ///< T_intra; nothing: the topology gives it
  std::optional<double> among_factor{};    ///< T_inter
  std::optional<double> experts_factor{};  ///< T_MoE
};

/// Seconds of a batch by part, and the settings that they were computed with.
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
  /// FLOP of a batch on all chips: matrix products of forward and backward. It includes products
  /// that are computed again, and always embedding and head, as Narayanan et al. (SC'21) count.
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
/// The parts that batch_s() adds up, in the order of Eq. 1.
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

/// Eqs. 1 to 12. Throws RequestError, a sentence with its numbers, in these cases: the degrees do
/// not fill the system's nodes; the system has more than two dimensions; a link between chips has
/// no bandwidth; the chip has no peak rate; the batch is not positive, or the tokens or the
/// micro-batches are negative.
AmpedBreakdown amped_time(const AmpedNetwork& network, const System& system,
                          const AmpedDegrees& degrees, const AmpedTraining& training);

// The equations by themselves.

struct AmpedLink {
  double latency_s = 0;    ///< C
  double bytes_per_s = 1;  ///< BW
};

/// The factor T of an all-reduce among n members: the steps of the topology, divided by n.
/// Ring and switch: 2(n-1)/n. Fully connected: 2/n. Line of more than two: twice that of a ring.
/// n = 1: 0.
double all_reduce_factor(DimensionTopology topology, double n);

/// An all-reduce in which every member has `bytes`.
struct AmpedAllReduce {
  double bytes = 0;
  double members = 1;  ///< n
  double factor = 0;   ///< T, of all_reduce_factor
};
/// Eqs. 6 and 11: C T n + bytes / BW T.
double all_reduce_s(const AmpedAllReduce& at, const AmpedLink& link);

/// What goes from stage to stage, shared out among the layers of the network.
struct AmpedTransfer {
  double bytes = 0;
  double layers = 1;  ///< L
};
/// Eq. 7: (C + bytes / BW) / L, of a layer.
double stage_transfer_s(const AmpedTransfer& at, const AmpedLink& link);

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

/// What the fullest chip holds, bytes. AMPeD itself knows no memory; this is Narayanan et al.'s
/// count (SC'21, section 2): parameters and gradients at their precision, 12 bytes of Adam for each
/// parameter, ZeRO's stages dividing what they divide; the activations of the micro-batches that a
/// stage has in flight (N_PP of them at most), or with recomputation the inputs of its layers and
/// one layer's activations. Of several stages the first has the embedding and the last the head:
/// the larger counts, beside as many layers as any stage has.
struct AmpedMemory {
  double parameters = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0;
  double sum() const { return parameters + gradients + optimizer + activations; }
};
AmpedMemory amped_memory(const AmpedNetwork& network, const AmpedDegrees& degrees,
                         const AmpedTraining& training);

/// Why it does not fit: "needs 81,000,000,000 bytes of hbm, which has 80,000,000,000"; empty where
/// it does. The memory that weights lie in, by the system's levels; a level of 0 bytes is not known
/// and fits.
std::string memory_shortage(const AmpedMemory& memory, const System& system);

/// What an exploration lets pass.
struct AmpedSearch {
  bool sensible = true;  ///< refuses what amped_refusal() does; the paper's study does not
  bool fits = false;     ///< refuses what its memory has no room for
  /// Choose for each candidate the fastest number of micro-batches among the divisors of a
  /// replica's batch, of equals the fewest. If not, the training's number stands.
  bool choose_micro_batches = false;
  int threads = 1;
};

struct AmpedCandidate {
  AmpedDegrees degrees{};
  AmpedBreakdown time{};
  double memory_bytes = 0;  ///< of the fullest chip (AmpedMemory)
  std::string refusal{};    ///< why it is none; empty if it is one
};

struct AmpedExploration {
  std::vector<AmpedCandidate> all;  ///< every way to cut, in the order of enumeration
  std::vector<std::size_t> ranked;  ///< places in `all` of those that pass, fastest first
};

/// All ways to cut at one level: ordered factorisations of `chips` ≥ 1 into tensor, pipeline and
/// data degrees, tensor slowest. O(divisors²).
std::vector<AmpedLevel> level_degrees(std::int64_t chips);

/// Why degrees do not fit a network and batch, as one sentence: "16 ways of tensor parallelism do
/// not divide 40 heads". Empty if they fit. Degrees do not fit if
/// - the tensor degree does not divide the heads, or there are more stages than layers;
/// - the ways to share experts do not divide the experts, or do not divide the replicas;
/// - replicas do not divide the batch, or micro-batches do not divide a replica's part of it.
std::string amped_refusal(const AmpedNetwork& network, const AmpedDegrees& degrees,
                          const AmpedTraining& training);

/// The training with the number of micro-batches, of all that divide a replica's batch, that is
/// fastest; of equals the fewest. With `fits` only numbers that fit the memory count; if none does,
/// it is the replica's batch. The training itself if its batch cannot be divided among the
/// replicas, with `micro_batches` as they are.
AmpedTraining with_best_micro_batches(const AmpedNetwork& network, const System& system,
                                      const AmpedDegrees& degrees, const AmpedTraining& training,
                                      bool fits);

/// Evaluates every pair of level_degrees() inside and among the nodes of a system and ranks them by
/// time, of equals the first enumerated first: the same at any number of threads. Throws as
/// amped_time() does.
AmpedExploration explore_amped(const AmpedNetwork& network, const System& system,
                               const AmpedTraining& training, const AmpedSearch& search);

/// How many micro-batches a replica's batch is cut into.
enum class MicroBatches : std::uint8_t {
  best,    ///< the fastest number of all that divide it
  stages,  ///< as many as stages, as in AMPeD
  given,
};
inline constexpr std::array<std::string_view, 3> kMicroBatchesNames{"best", "stages", "given"};
constexpr std::span<const std::string_view> words_of(MicroBatches /*of*/) {
  return kMicroBatchesNames;
}

/// A network on nodes of chips, and what of its degrees is asked for.
struct AmpedJob {
  AmpedNetwork network;
  System system;
  AmpedNodes nodes;
  AmpedExperts experts;
  AmpedTraining training;  ///< its micro-batches where they are given
  MicroBatches micro_batches = MicroBatches::best;
  AmpedSearch search;
  std::optional<AmpedDegrees> degrees;  ///< nothing: all are explored
  std::size_t top = 10;
};

/// Thrown for degrees that amped_refusal() refuses; AmpedSearch::sensible = false lets them pass.
class RefusedDegrees : public RequestError {
 public:
  explicit RefusedDegrees(const std::string& message) : RequestError(message) {}
};

/// The replicas that fill a system beside so many chips of a replica; 1 if they do not divide it.
std::int64_t filling_data_degree(std::int64_t replica_chips, const System& system);

/// The degrees that are asked for, alone; or all. Throws RefusedDegrees, RequestError for
/// degrees that are not the system's, and InfeasibleError where nothing has room and room is asked
/// for.
AmpedExploration run_amped_job(const AmpedJob& job);

/// The candidate that is told in full: the fastest. Of an exploration that found one.
const AmpedCandidate& best_of(const AmpedExploration& found);

inline constexpr std::array<std::string_view, 2> kBubbleFormNames{"consistent", "literal"};
constexpr std::span<const std::string_view> words_of(BubbleForm /*of*/) { return kBubbleFormNames; }
inline constexpr std::array<std::string_view, 2> kHierarchyFormNames{"full", "scattered"};
constexpr std::span<const std::string_view> words_of(HierarchyForm /*of*/) {
  return kHierarchyFormNames;
}
inline constexpr std::array<std::string_view, 2> kTransferFormNames{"one", "every"};
constexpr std::span<const std::string_view> words_of(TransferForm /*of*/) {
  return kTransferFormNames;
}

/// What the model is asked for, besides the network. What is nothing is not given; texts are
/// degrees, N or IxA, and numbers between commas.
struct AmpedChoice {
  MachineChoice machine{"a100_hdr"};
  std::optional<double> batch{};  ///< has to be given
  std::optional<std::int64_t> nodes{};
  std::optional<std::int64_t> node_chips{};
  std::optional<double> tokens{};
  std::optional<std::string> tensor{};
  std::optional<std::string> pipeline{};
  std::optional<std::string> data{};
  bool explore = false;
  std::optional<std::size_t> top{};
  MicroBatches micro_batches = MicroBatches::best;
  std::optional<std::string> efficiency{};
  std::optional<std::int64_t> experts{};
  std::optional<std::int64_t> experts_active{};
  std::optional<std::int64_t> experts_every{};
  std::optional<std::int64_t> expert_ways{};
  std::optional<std::string> bits{};
  std::optional<std::string> factors{};
  AmpedTraining training{};  ///< without what the members above say
  AmpedSearch search{};
};
Options<AmpedChoice> amped_options();

/// A report of schema waferloom/amped/1.
Report amped_report(const AmpedJob& job, const AmpedExploration& found);
std::string amped_schema();
/// All degrees, the ranked ones first.
std::string amped_csv(const AmpedJob& job, const AmpedExploration& found);

}  // namespace waferloom::planner
