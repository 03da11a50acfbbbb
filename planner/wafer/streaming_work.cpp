#include "planner/wafer/streaming_work.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

/// The widest vector of a token in a layer.
double widest_vector(const TransformerOperator& layer) {
  return as_double(
      std::max((layer.gated ? 2 : 1) * layer.feed_forward + layer.hidden, layer.query_features()));
}

/// Bytes of a tile that the head has beside logits: of all tokens its input and the gradient of
/// that, and rows under way.
std::int64_t bytes_beside_logits(const StreamingGround& ground, const BatchWork& work) {
  const double hidden = as_double(ground.model.layer.hidden);
  return work.sums() + 2 * work.kept(hidden) + work.streamed_rows(hidden);
}

}  // namespace

StreamingGround streaming_ground(const WaferStreamingJob& job) {
  if (job.trains) demand_trainable(job.workload);
  const StreamingGround ground{tile_transformer(job.workload, NetworkUser::streaming),
                               job.hardware,
                               tile_fabric(job.hardware, job.data_type, job.workload.kept),
                               job.trains,
                               job.head_pieces,
                               training_figures(job.hardware, job.data_type, job.trains)};
  if (!job.hardware.sram_bytes_per_tile) {
    throw RequestError(job.hardware.name + " does not tell its sram_bytes_per_tile");
  }
  if (job.hardware.host_ports.empty()) {
    throw RequestError(job.hardware.name + " has no host_ports for weights to come through");
  }
  return ground;
}

std::optional<TrainingFigures> training_figures(const Hardware& hardware,
                                                const std::string& data_type, bool trains) {
  const auto found = hardware.training.find(data_type);
  if (!trains || found == hardware.training.end()) return std::nullopt;
  return found->second;
}

double ports_share(const std::optional<TrainingFigures>& training) {
  constexpr double kPercent = 100;
  return training ? training->ports_percent / kPercent : 1;
}

BatchWork::BatchWork(const StreamingGround& ground, const StreamSite& site, std::int64_t batch)
    : model_(ground.model),
      layer_(ground.model.layer),
      site_(site),
      tiles_(site.tiles),
      tokens_(batch * ground.model.layer.sequence),
      head_tokens_(batch * ground.model.head_tokens),
      batch_(batch),
      lies_evenly_(ground.training.has_value()) {}

double BatchWork::forward(std::int64_t in, std::int64_t out) {
  return forward_of(in, out, tokens_);
}

double BatchWork::forward_of(std::int64_t in, std::int64_t out, std::int64_t tokens) {
  return product({out, in, tokens}, turned());
}

double BatchWork::backward(std::int64_t in, std::int64_t out) {
  return backward_of(in, out, tokens_);
}

double BatchWork::backward_of(std::int64_t in, std::int64_t out, std::int64_t tokens) {
  return product({in, out, tokens}, turned()) + product({in, tokens, out}, tiles_);
}

SequenceTurns BatchWork::attention(std::int64_t at_once) const {
  const TileGrid rows{std::max<std::int64_t>(1, tiles_.rows / at_once), tiles_.columns};
  SequenceTurns turns{at_once};
  const WindowCosts layers = model_.costs([&](std::int64_t window) {
    const MeshOperator found = mesh_prefill_attention(
        site_.fabric, {layer_.sequence, layer_.heads, layer_.features_of_head(), 1, window},
        layer_.key_value_heads, GemmAlgorithm::weight_stationary, rows);
    turns.blocks = std::max(turns.blocks, found.bytes_per_tile - site_.fabric.program_bytes);
    return found.parts.total();
  });
  turns.cycles = as_double(parts_of(batch_, at_once)) * model_.mean(layers);
  return turns;
}

double BatchWork::small() const {
  const TileFabric& fabric = site_.fabric;
  const double norms =
      as_double(layer_.norms) * mesh_norm(fabric, {tokens_, layer_.hidden}, turned()).parts.total();
  const double sums =
      2 * mesh_element_wise(fabric, {tokens_ * layer_.hidden, 1}, tiles_).parts.total();
  const std::int64_t own =
      parts_of(tokens_, tiles_.rows) * parts_of(layer_.feed_forward, tiles_.columns);
  constexpr double kSteps = 13;
  return norms + sums + mesh_activation(fabric, own, layer_.gated).parts.total() +
         kSteps * fabric.cycles.step;
}

std::int64_t BatchWork::features(double elements_a_token) const {
  return parts_of(static_cast<std::int64_t>(std::ceil(elements_a_token)), tiles_.columns);
}

std::int64_t BatchWork::of_fullest(std::int64_t tokens, double elements_a_token) const {
  if (!lies_evenly_) return parts_of(tokens, tiles_.rows) * features(elements_a_token);
  const auto elements = static_cast<std::int64_t>(std::ceil(elements_a_token));
  return parts_of(tokens * elements, tiles_.rows * tiles_.columns);
}

std::int64_t BatchWork::kept(double elements_a_token) const {
  return of_fullest(tokens_, elements_a_token) * site_.fabric.element_bytes;
}

std::int64_t BatchWork::sums() const {
  return 2 * parts_of(tokens_, tiles_.rows) * site_.fabric.element_bytes;
}

std::int64_t BatchWork::streamed_rows(double features_of_rows) const {
  return 4 * features(features_of_rows) * site_.fabric.element_bytes;
}

std::int64_t BatchWork::logits(std::int64_t vocabulary, std::int64_t pieces) const {
  // Of numbers whose loss is taken, whatever the others are.
  constexpr std::int64_t kLogitBytes = 4;
  return of_fullest(parts_of(head_tokens_, pieces), as_double(vocabulary)) * kLogitBytes;
}

double BatchWork::link_cycles(double words) const {
  return words * site_.fabric.word_cycles / stream_lines(site_);
}

double stream_lines(const StreamSite& site) {
  return std::min(as_double(site.tiles.columns), site.ports.sides * as_double(site.tiles.rows));
}

double BatchWork::product(const GemmShape& shape, const TileGrid& grid) {
  const MeshOperator found = mesh_gemm(site_.fabric, GemmAlgorithm::weight_stationary, shape, grid);
  blocks_ = std::max(blocks_, found.bytes_per_tile - site_.fabric.program_bytes);
  return found.parts.total();
}

std::int64_t key_value_elements(const TransformerOperator& layer) {
  return 2 * layer.key_features();
}

StreamingBytes bytes_of_batch(const StreamingGround& ground, const BatchWork& work,
                              const SequenceTurns& attention, Recompute recompute,
                              std::int64_t head_pieces) {
  const TransformerOperator& layer = ground.model.layer;
  const OperatorCount counted = count(OperatorKind{layer});
  const double sequence = as_double(layer.sequence);
  const double inside = as_double(counted.saved - counted.saved_attention) / sequence;
  const WindowCosts saved = ground.model.costs([&](std::int64_t window) {
    return as_double(count(OperatorKind{ground.model.with_window(window)}).saved_attention);
  });
  const double scores = ground.model.mean(saved) / sequence;
  const double hidden = as_double(layer.hidden);
  const double kept = recompute == Recompute::full        ? hidden
                      : recompute == Recompute::selective ? inside
                                                          : inside + scores;
  StreamingBytes bytes;
  bytes.there = *ground.hardware.sram_bytes_per_tile;
  bytes.program = ground.fabric.program_bytes;
  bytes.activations = ground.model.layers * work.kept(kept);
  // The layer at work has what it computes again, its gradients, and a turn of attention. The
  // operand of a product that stays is among these. The head has its input, its gradient and a
  // piece's logits; no layer is at work then.
  const double widest = widest_vector(layer);
  const double again = recompute == Recompute::full ? inside - hidden : 0;
  const std::int64_t of_layer = std::max(attention.blocks, work.sums()) + work.kept(widest) +
                                work.kept(again) + work.streamed_rows(widest);
  const std::int64_t of_head =
      bytes_beside_logits(ground, work) + work.logits(ground.model.vocabulary, head_pieces);
  // The larger of both, with its rows of weights and gradients.
  const bool is_head = of_head > of_layer;
  bytes.buffers = work.streamed_rows(is_head ? hidden : widest);
  bytes.layer = std::max(of_layer, of_head) - bytes.buffers;
  return bytes;
}

std::int64_t head_pieces_of(const StreamingGround& ground, const BatchWork& work,
                            const SequenceTurns& attention, Recompute recompute) {
  if (ground.model.vocabulary == 0) return 1;
  if (ground.head_pieces > 0) return std::min(ground.head_pieces, work.head_tokens());
  const std::int64_t most = work.head_tokens();
  const StreamingBytes least = bytes_of_batch(ground, work, attention, recompute, most);
  const std::int64_t room =
      std::max(least.layer + least.buffers, least.there - least.program - least.activations) -
      bytes_beside_logits(ground, work);
  // Logits grow with the tokens of a piece: the fewest pieces by bisection.
  std::int64_t too_few = 0;
  std::int64_t enough = most;
  while (enough - too_few > 1) {
    const std::int64_t middle = (enough + too_few) / 2;
    (work.logits(ground.model.vocabulary, middle) <= room ? enough : too_few) = middle;
  }
  return enough;
}

StreamingBytes bytes_of_prompts(const StreamingGround& ground, const BatchWork& work,
                                const SequenceTurns& attention) {
  const TransformerOperator& layer = ground.model.layer;
  const double widest = widest_vector(layer);
  StreamingBytes bytes;
  bytes.there = *ground.hardware.sram_bytes_per_tile;
  bytes.program = ground.fabric.program_bytes;
  bytes.activations = work.kept(as_double(layer.hidden));
  bytes.layer = std::max(
      attention.blocks + work.kept(as_double(layer.query_features() + key_value_elements(layer))),
      work.blocks() + work.kept(widest));
  // Two rows of weights.
  bytes.buffers = 2 * work.features(widest) * ground.fabric.element_bytes;
  return bytes;
}

std::vector<SequenceTurns> possible_turns(const BatchWork& work) {
  constexpr std::int64_t kTurnSteps = 5;  // to twice as many turns
  const std::int64_t batch = work.batch();
  std::vector<SequenceTurns> found{work.attention(work.most_at_once())};
  for (std::int64_t turns = 2; turns < 2 * batch; turns += parts_of(turns, kTurnSteps)) {
    const std::int64_t at_once = parts_of(batch, turns);
    if (at_once < found.back().at_once) found.push_back(work.attention(at_once));
  }
  return found;
}

SequenceTurns best_turns(const std::vector<SequenceTurns>& turns,
                         const std::function<StreamingBytes(const SequenceTurns&)>& bytes_of) {
  SequenceTurns best = turns.front();
  StreamingBytes least = bytes_of(best);
  for (const SequenceTurns& other : turns) {
    const StreamingBytes bytes = bytes_of(other);
    const bool is_better = bytes.fits() != least.fits() ? bytes.fits()
                           : bytes.fits()               ? other.cycles < best.cycles
                                                        : bytes.total() < least.total();
    if (!is_better) continue;
    best = other;
    least = bytes;
  }
  return best;
}

}  // namespace waferloom::planner
