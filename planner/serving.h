#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::planner {

// How fast a large language model is served (DFModel, section VIII-A). Prefill takes a prompt and
// fills the caches of keys and values. Decode makes a token at a time. Tensor parallelism works
// within a layer, pipeline parallelism over layers. Units are seconds and bytes. Nothing overlaps,
// as in DFModel's serving studies.

/// What stands before the layers: the first stage has it.
struct ServedEmbedding {
  double parameters = 0;  ///< tables, and all else before the layers
  double hidden = 0;      ///< elements of the row that a token looks up; 0: no table
};

/// What stands behind the layers: the last stage has it.
struct ServedHead {
  double parameters = 0;       ///< of its own
  double vocabulary = 0;       ///< logits of a token; 0: no head
  double hidden = 0;           ///< inputs of the matrix
  double tied_parameters = 0;  ///< of the embedding's table, if that is its matrix
};

/// A stack of equal transformer layers between an embedding and a head.
struct ServedModel : LayerStack {
  std::string name;
  ServedEmbedding embedding{};
  ServedHead head{};
};

/// The layers of a workload, and what stands before and behind them. A linear operator behind them
/// is a head too, where there is no other. Throws RequestError if it has no layers, or if layers
/// differ in more than their windows or have keys that serving does not know
/// (planner/network/network_keys.h).
ServedModel served_model(const Workload& workload);
/// Without embedding and head: what DFModel's serving files count.
ServedModel layers_alone(ServedModel model);

/// What goes through a layer at once.
struct LayerPass {
  std::int64_t samples = 1;  ///< sequences
  std::int64_t tokens = 1;   ///< new tokens of each sequence
  std::int64_t context = 0;  ///< tokens of each sequence in the caches
  double element_bytes = 2;  ///< of activations, as links carry them
  std::int64_t logits = 1;   ///< tokens of each sequence whose next token is asked for: the last
  double operand_bytes = 2;  ///< of weights and caches, the operands of matrix products
  KeptNumbers kept{};        ///< what layers keep in fewer
};

struct ServingTime {
  double compute_s = 0;
  double memory_s = 0;
  double serialization_s = 0;  ///< bytes of all-reduces over links
  double latency_s = 0;        ///< steps of all-reduces
  double total_s() const { return compute_s + memory_s + serialization_s + latency_s; }
};

/// FLOP of a layer on each of `tensor` chips, as DFModel's files count.
/// Shared by the chips:
/// - 2 m k n for every product. All new tokens see the caches and each other; causality saves
///   nothing.
/// - 2 for each element of the key cache and of the value cache, for appending to it, if there is a
///   cache.
/// - 1 for each element of softmax, dropout and activation (activation 2 if gated).
/// Not shared: 7 for each hidden element of a token: two sums, two normalisations, two dropouts and
/// the sum before the layer.
/// If `tensor` does not divide heads, key-value heads or features, they are rounded up.
double layer_flop(const TransformerOperator& layer, const LayerPass& pass, std::int64_t tensor);
/// Bytes of a layer's matrices on each of `tensor` chips.
double layer_weight_bytes(const TransformerOperator& layer, const LayerPass& pass,
                          std::int64_t tensor);
/// Bytes of a layer's keys and values of the context on each of `tensor` chips.
double layer_cache_bytes(const TransformerOperator& layer, const LayerPass& pass,
                         std::int64_t tensor);

/// The time of a layer on `tensor` chips. Compute: FLOP over the achieved peak. Memory: weights and
/// caches are read once, from the memories of the classes weights and io. Network: two all-reduces
/// of the layer's output (planner/dfmodel/systems/network_times.h). Their network is the system's
/// innermost dimension with `tensor` chips.
ServingTime layer_time(const TransformerOperator& layer, const LayerPass& pass,
                       const System& system, std::int64_t tensor);

/// The time of embedding and head on `tensor` chips, which share both. The embedding reads a row of
/// each new token, and the group gathers the rows. The head reads its matrix once, takes
/// 2 · vocabulary · hidden FLOP for each logit row, and the group gathers the logits.
ServingTime embedding_time(const ServedModel& model, const LayerPass& pass, const System& system,
                           std::int64_t tensor);
ServingTime head_time(const ServedModel& model, const LayerPass& pass, const System& system,
                      std::int64_t tensor);

/// Chips that share a layer, and stages.
struct ServingDegrees {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
};

struct ServingOptions {
  std::int64_t prompt = 4096;   ///< tokens of prefill
  std::int64_t context = 4096;  ///< tokens in the caches when a token is decoded
  std::int64_t samples = 1;     ///< sequences that a stage works on at once
  double element_bytes = 2;
  double operand_bytes = 2;  ///< of weights and caches
};

/// A pass of prefill, and one of decode, through layers that keep numbers as the model says.
LayerPass prefill_pass(const ServedModel& model, const ServingOptions& options);
LayerPass decode_pass(const ServedModel& model, const ServingOptions& options);

/// A division of the chips into tensor · pipeline, with its times.
struct ServingPoint {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  ServingTime prefill{};       ///< of a layer
  ServingTime decode{};        ///< of a layer
  ServingTime prefill_ends{};  ///< of embedding and head
  ServingTime decode_ends{};
  double ttft_s = 0;  ///< time to the first token
  double prefill_tokens_per_s = 0;
  double tpot_s = 0;  ///< time per output token
  double decode_tokens_per_s = 0;
  double memory_bytes = 0;  ///< weights and caches of a chip of the fullest stage
  std::string lacks{};      ///< the memory that is too small, with its bytes; empty: all fits
};

/// A stage of a pipeline: so many layers, and what it has of the ends.
struct ServingStage {
  std::int64_t layers = 0;
  bool is_first = false;
  bool is_last = false;
};
/// The kinds of stages of a pipeline: the first, the last, and those between, of which some may
/// have a layer more. Numbers of layers differ by at most one. Stages between have one more first,
/// then the end with fewer parameters. The only stage is first and last.
std::vector<ServingStage> serving_stages(const ServedModel& model, std::int64_t pipeline);

/// The time of a pass through embedding, all layers and head. It includes the hops of activations
/// between stages, over a link of the innermost dimension. `stage_s` is the time of the slowest
/// stage with its hop; it bounds the throughput when every stage is busy.
struct PassTime {
  double total_s = 0;
  double stage_s = 0;
};
PassTime pass_time(const ServedModel& model, const LayerPass& pass, const System& system,
                   const ServingDegrees& degrees);

ServingPoint serving_point(const ServedModel& model, const System& system,
                           const ServingOptions& options, const ServingDegrees& degrees);

/// All divisions with tensor · pipeline = chips, at most as many stages as layers, and tensor
/// groups no larger than the number of heads. The largest group comes first.
std::vector<ServingPoint> serving_points(const ServedModel& model, const System& system,
                                         const ServingOptions& options);

// Speculative decoding (DFModel, section VIII-B; Leviathan et al. 2023; SpecInfer 2024): a small
// model drafts, the large one looks at all drafted tokens at once and keeps those that it agrees
// with, and one of its own.

enum class SpeculationScheme : std::uint8_t {
  sequence,  ///< K tokens, one behind the other
  tree,      ///< 2^K tokens: paths K deep, two tokens to choose from at each depth
};

struct Speculation {
  SpeculationScheme scheme = SpeculationScheme::sequence;
  std::int64_t window = 4;  ///< K, 0 to kMostWindow
  double acceptance = 0.8;  ///< of a drafted token, each by itself, 0 to 1
};
inline constexpr std::int64_t kMostWindow = 20;

/// (1 - a^(k + 1)) / (1 - a): tokens of a step whose k drafted tokens are accepted with
/// probability a each until one is not, and one of the large model. k + 1 for a = 1.
double expected_tokens(double acceptance, std::int64_t window);

/// That a depth of the drafts is passed: a; in the tree 1 - (1 - a)^2, the first or the second.
double depth_acceptance(const Speculation& speculation);
/// Tokens that are drafted, one at a time: K or 2^K.
std::int64_t drafted_tokens(const Speculation& speculation);

struct SpeculationTime {
  double tokens = 0;    ///< expected, of a step
  double draft_s = 0;   ///< all drafted tokens of a step
  double verify_s = 0;  ///< the large model's pass over them and one more
  double tokens_per_s = 0;
  double speed_up = 0;  ///< over the large model alone
};

struct SpeculationPasses {
  double draft_token_s = 0;
  double verify_s = 0;        ///< the large model's pass over the drafted tokens and its last
  double target_token_s = 0;  ///< the same model's over one token
};
/// Throws RequestError for an acceptance beyond 0 to 1 or a window beyond 0 to kMostWindow.
SpeculationTime speculation_time(const Speculation& speculation, const SpeculationPasses& passes);

/// How models are paired: the large one on all chips of a group, the small one on as many of
/// them as make its tokens fastest, among powers of two up to the group.
struct SpeculationPair {
  const ServedModel& target;
  const ServedModel& draft;
};
SpeculationTime speculate(const SpeculationPair& models, const System& system,
                          const ServingOptions& options, const Speculation& speculation,
                          std::int64_t tensor);

/// Seconds of a drafted token, on the group of least time.
double fastest_token_s(const ServedModel& model, const System& system,
                       const ServingOptions& options, std::int64_t most_chips);

// What of a chip should compute and what should be memory, under memories of different rates
// (DFModel, section VIII-C): a fixed number of units of one area, each a core or a piece of SRAM.

/// A memory behind the chip.
struct StackedMemory {
  std::string name;
  double bytes_per_s = 0;
};

struct AreaStudy {
  std::int64_t units = 2080;
  double unit_flop_per_s = 0;  ///< of a core
  double unit_sram_bytes = 0;  ///< of a piece of memory
  double utilisation = 0.9;
  std::int64_t chips = 1024;
  std::vector<std::int64_t> tensors{256, 512, 1024};  ///< chips that share a layer
  std::vector<double> compute_shares{};               ///< of the units, each between 0 and 1
  std::vector<StackedMemory> memories{};
};

/// The paper's: 2080 units like the 1040 cores and 1040 pieces of memory of the given chip, shares
/// from 0.2 to 0.8 in steps of 0.05, DDR of 100 GB/s, HBM of 1 TB/s, 3-D memory of 100 TB/s. Throws
/// RequestError for a chip whose cores are not known.
AreaStudy paper_area_study(const System& system);

struct AreaPoint {
  double share = 0;
  std::int64_t tensor = 1;     ///< of the best degrees
  double layer_s = 0;          ///< a layer forward on a group, in its best mapping
  double flop_per_s = 0;       ///< of all chips; 0: nothing fits the SRAM
  std::size_t partitions = 0;  ///< of that mapping
  std::string bound{};         ///< of the longest partition: compute or memory
};

struct AreaCurve {
  StackedMemory memory;
  std::vector<AreaPoint> points;  ///< by share
  std::size_t best = 0;           ///< of the greatest rate; of equals the first share
};

/// The rate at which layers go forward, for each memory and each share of the chip that computes.
/// Each layer is cut by the best tensor degree. Its kernels are in the partitions that
/// best_mapping() proves best. Groups of chips are the stages of a pipeline that is always full.
/// The network is left out: it is the same for every chip of the study, and would hide what
/// differs. Throws RequestError for degrees that do not divide the layer.
std::vector<AreaCurve> study_area(const TransformerOperator& layer, const AreaStudy& study,
                                  const KeptNumbers& kept = {});

inline constexpr std::array<std::string_view, 2> kSchemeNames{"sequence", "tree"};
constexpr std::span<const std::string_view> words_of(SpeculationScheme /*of*/) {
  return kSchemeNames;
}

/// What the model is asked for, besides the network.
struct ServingChoice {
  MachineChoice machine{"sn40l_16"};
  ServingOptions options{};            ///< without bytes of numbers, which the chip says
  std::optional<std::string> draft{};  ///< a workload
  Speculation speculation{};           ///< of the draft
  bool area = false;                   ///< study areas
};
Options<ServingChoice> serving_options();

/// A draft model and how it is used.
struct Draft {
  ServedModel model;
  Speculation speculation;
};

/// A model, served by a system.
struct ServingJob {
  ServedModel model;
  System system;
  ServingOptions options{};
  std::optional<Draft> draft{};
};

/// What comes of it.
struct ServingFindings {
  std::vector<ServingPoint> points{};
  std::vector<SpeculationTime> windows{};  ///< 1, 2, … tokens
  std::vector<AreaCurve> areas{};          ///< none: not asked for
};

/// Points of TP and PP, windows of speculation up to the draft's, and, if wanted, the study of
/// areas. Throws RequestError as the three do.
ServingFindings run_serving_job(const ServingJob& job, bool wants_areas);

/// A report of schema waferloom/serving/1.
Report serving_report(const ServingJob& job, const ServingFindings& found,
                      const std::vector<std::string>& warnings);
std::string serving_schema();
/// The table of TP and PP.
TextTable serving_table(const ServingFindings& found);

}  // namespace waferloom::planner
