#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/hardware.h"
#include "model/option_spec.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/workload.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {

// A language model on a wafer whose tiles keep activations: "weight streaming". Weights come from
// outside through the host ports, layer by layer, and are broadcast. In training gradients leave
// the same way, and the optimizer works outside; inference goes forward alone
// (docs/wafer_plans.md).

struct WaferStreamingJob {
  Workload workload;
  Hardware hardware;
  std::string data_type = "fp16";
  std::int64_t batch = 0;  ///< sequences of a step; 0: the best of those that fit at once
  /// In which a micro-batch's tokens go through the head in training; 0: as few as fit.
  std::int64_t head_pieces = 0;
  bool trains = true;  ///< else forward alone: a prompt a sequence, its last token to the head
};

/// Bytes of the fullest tile.
struct StreamingBytes {
  std::int64_t program = 0;
  /// That forward keeps for backward, of all layers; of inference what goes from layer to layer.
  std::int64_t activations = 0;
  std::int64_t layer = 0;    ///< of the layer at work: what it has beside, and its blocks
  std::int64_t buffers = 0;  ///< of weights and gradients under way
  std::int64_t there = 0;
  std::int64_t total() const { return program + activations + layer + buffers; }
  bool fits() const { return total() <= there; }
};

/// A part of the model that is streamed at once: all layers are alike. What is of backward is 0 in
/// inference.
struct StreamedPart {
  std::string name;  ///< "layer", "head", "embedding"
  std::int64_t repeat = 1;
  double weight_bytes = 0;           ///< that come in for forward
  double backward_weight_bytes = 0;  ///< for backward: twice if a layer is computed again
  double gradient_bytes = 0;         ///< that leave in backward
  double fixed_s = 0;                ///< that both passes take whatever the size of a micro-batch
  double forward_cycles = 0;         ///< of tiles, the fixed time included
  double backward_cycles = 0;        ///< with what is computed again
  double port_cycles = 0;            ///< of its weights through the ports, forward
  double link_cycles = 0;            ///< of its weights over the busiest link, forward
  /// The longest of the three; where training programs were measured the sum of cycles and of the
  /// longer of ports and link.
  double forward_s = 0;
  double backward_s = 0;  ///< likewise, gradients out too
  /// That a step takes in the ports in one direction: weights in for forward, then weights in for
  /// backward while gradients leave, of which the more counts.
  double streamed_bytes() const {
    return weight_bytes + std::max(backward_weight_bytes, gradient_bytes);
  }
  double ports_s = 0;  ///< of these through the ports, once
  double links_s = 0;  ///< and over the busiest link
};

/// A batch on a rectangle of tiles, in training as so many micro-batches one after another.
struct StreamingChoice {
  std::int64_t batch = 1;          ///< sequences of a step
  std::int64_t micro_batches = 1;  ///< as even as can be; bytes and parts are of the largest
  Recompute recompute = Recompute::none;
  TileGrid tiles{};                      ///< tokens over its rows, features over its columns
  Rectangle place{};                     ///< where they lie, spare rows included
  std::int64_t spare_rows = 0;           ///< by which lines step around what is dead
  std::int64_t attention_sequences = 1;  ///< at once in attention
  std::int64_t head_pieces = 1;          ///< of a micro-batch's tokens, one after another
  StreamingBytes bytes{};
  std::vector<StreamedPart> parts{};
  double port_words_per_cycle = 0;  ///< that host ports bring to it, in either direction
  double fill_s = 0;                ///< until the first weights are on all tiles
  double step_s = 0;                ///< of a batch, all micro-batches
  double tokens_per_s = 0;
  double share_of_peak = 0;  ///< wanted multiply-adds over those of the whole wafer
  double samples_per_s() const { return static_cast<double>(batch) / step_s; }
};

struct WaferStreaming {
  StreamingChoice best;
  std::vector<StreamingChoice> batches;  ///< the best of each batch that was tried, ascending
  double roof_tokens_per_s = 0;          ///< if all tiles did nothing but multiply and add
  double port_tokens_per_s = 0;          ///< of the best batch, if only the ports took time
  std::string lost;                      ///< tiles that cannot be used (Living::text)
  std::vector<TrustRow> trust;
};

/// Tries batches, what is computed again in training, and rectangles of a lattice, and takes the
/// most tokens a second. A batch that is asked for in training may be larger than the memories: it
/// is split into micro-batches. The head has as few pieces as fit. Products are weight-stationary
/// ones whose stationary operand is the activations: weights stream past them (mesh_gemm). Throws
/// InfeasibleError where not even a sequence fits, with the bytes needed and there; RequestError
/// for a network that is no stack of equal layers, or a machine without cycles of tiles, memory or
/// host ports; RunCut. Deterministic.
WaferStreaming plan_wafer_streaming(const WaferStreamingJob& job, const RunControl& control = {});

/// What backs a streamed plan.
std::vector<TrustRow> streaming_trust(const Hardware& hardware, const std::string& data_type,
                                      bool trains, const KeptNumbers& kept = {});

/// What of a choice a simulation takes.
StreamingPlan streaming_plan(const WaferStreamingJob& job, const StreamingChoice& choice);
/// What bounds a batch of a choice.
std::optional<Bottleneck> streaming_bottleneck(const WaferStreamingJob& job,
                                               const StreamingChoice& choice);
/// The step of a plan as a simulation needs it. Throws RequestError for another machine.
StreamingStep streaming_step(const StreamingPlan& plan, const Hardware& hardware);
/// Where its tiles lie: as it says, else the best place for them. Throws as streaming_step.
Rectangle streaming_tiles(const StreamingPlan& plan, const Hardware& hardware);
/// Its tiles as a kernel of one shape that is bound to its place; the weights that come in of the
/// largest part, and the gradients that leave. Throws RequestError for another network or machine,
/// InfeasibleError where the place cannot be used.
Problem streaming_case(const StreamingPlan& plan, const Workload& workload,
                       const Hardware& hardware);

/// --batch of this way.
OptionSpec streaming_batch_option();

/// A step in simulation, as its report has it.
struct SimulatedStep {
  std::string_view network;
  double step_s = 0;
  double shown_s = 0;  ///< of the layers that were run
  double forward_layer_s = 0;
  double backward_layer_s = 0;
  std::int64_t block_side = 1;  ///< tiles of a block's side
  std::int64_t messages = 0;
  std::int64_t events = 0;
};
/// A report of schema waferloom/wafer_plan/1, way "streaming"; also the plan's file.
Report wafer_streaming_report(const WaferStreamingJob& job, const WaferStreaming& found,
                              const SimulatedStep& simulated);
/// Batch, in training micro-batches and recompute, whether it fits, seconds a step, tokens a
/// second, share of the peak.
TextTable streaming_batches_table(const WaferStreamingJob& job, const WaferStreaming& found);

}  // namespace waferloom::planner
