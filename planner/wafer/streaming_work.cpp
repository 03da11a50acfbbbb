#include "planner/wafer/streaming_work.h"

#include <algorithm>
#include <cmath>

#include "model/errors.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

/// The widest vector of a token in a layer.
double widest_vector(const TransformerOperator& layer) {
  return as_double((layer.gated ? 2 : 1) * layer.feed_forward + layer.hidden);
}

}  // namespace

StreamingGround streaming_ground(const WaferStreamingJob& job) {
  StreamingGround ground{tile_transformer(job.workload), job.hardware,
                         tile_fabric(job.hardware, job.data_type), job.trains};
  if (!job.hardware.sram_bytes_per_tile) {
    throw RequestError(job.hardware.name + " does not tell its sram_bytes_per_tile");
  }
  if (job.hardware.host_ports.empty()) {
    throw RequestError(job.hardware.name + " has no host_ports for weights to come through");
  }
  return ground;
}

BatchWork::BatchWork(const StreamingGround& ground, const StreamSite& site, std::int64_t batch)
    : layer_(ground.model.layer),
      site_(site),
      tiles_(site.tiles),
      tokens_(batch * ground.model.layer.sequence),
      batch_(batch) {}

double BatchWork::forward(std::int64_t in, std::int64_t out) {
  return product({out, in, tokens_}, turned());
}

double BatchWork::forward_of_last(std::int64_t in, std::int64_t out) {
  return product({out, in, batch_}, turned());
}

double BatchWork::backward(std::int64_t in, std::int64_t out) {
  return product({in, out, tokens_}, turned()) + product({in, tokens_, out}, tiles_);
}

SequenceTurns BatchWork::attention(std::int64_t at_once) const {
  const TileGrid rows{std::max<std::int64_t>(1, tiles_.rows / at_once), tiles_.columns};
  const MeshOperator found = mesh_prefill_attention(
      site_.fabric, {layer_.sequence, layer_.heads, layer_.hidden / layer_.heads},
      layer_.key_value_heads, GemmAlgorithm::weight_stationary, rows);
  return {at_once, as_double(parts_of(batch_, at_once)) * found.parts.total(),
          found.bytes_per_tile - site_.fabric.program_bytes};
}

double BatchWork::small() const {
  const TileFabric& fabric = site_.fabric;
  const double norms = 2 * mesh_norm(fabric, tokens_, layer_.hidden, turned()).parts.total();
  const double sums =
      2 * mesh_element_wise(fabric, tokens_ * layer_.hidden, 1, tiles_).parts.total();
  const std::int64_t own =
      parts_of(tokens_, tiles_.rows) * parts_of(layer_.feed_forward, tiles_.columns);
  constexpr double kSteps = 13;
  return norms + sums + mesh_activation(fabric, own, layer_.gated).parts.total() +
         kSteps * fabric.cycles.step;
}

std::int64_t BatchWork::features(double elements_a_token) const {
  return parts_of(static_cast<std::int64_t>(std::ceil(elements_a_token)), tiles_.columns);
}

std::int64_t BatchWork::kept(double elements_a_token) const {
  return parts_of(tokens_, tiles_.rows) * features(elements_a_token) * site_.fabric.element_bytes;
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
  return 2 * (layer.hidden / layer.heads) * layer.key_value_heads;
}

StreamingBytes bytes_of_batch(const StreamingGround& ground, const BatchWork& work,
                              std::int64_t blocks, Recompute recompute) {
  const TransformerOperator& layer = ground.model.layer;
  const OperatorCount counted = count(OperatorKind{layer});
  const double sequence = as_double(layer.sequence);
  const double inside = as_double(counted.saved - counted.saved_attention) / sequence;
  const double scores = as_double(counted.saved_attention) / sequence;
  const double kept = recompute == Recompute::full        ? as_double(layer.hidden)
                      : recompute == Recompute::selective ? inside
                                                          : inside + scores;
  StreamingBytes bytes;
  bytes.there = *ground.hardware.sram_bytes_per_tile;
  bytes.program = ground.fabric.program_bytes;
  bytes.activations = ground.model.layers * work.kept(kept);
  // The layer at work has what it computes again, its gradients, and the blocks of its products; of
  // attention a turn of heads is in the blocks. The head has its logits.
  const double widest = widest_vector(layer);
  bytes.layer = blocks + work.kept(widest) +
                std::max(work.kept(inside), work.kept(as_double(ground.model.vocabulary)));
  // Two rows of weights and of gradients.
  bytes.buffers = 4 * work.features(widest) * ground.fabric.element_bytes;
  return bytes;
}

StreamingBytes bytes_of_prompts(const StreamingGround& ground, const BatchWork& work,
                                const SequenceTurns& attention) {
  const TransformerOperator& layer = ground.model.layer;
  const double widest = widest_vector(layer);
  StreamingBytes bytes;
  bytes.there = *ground.hardware.sram_bytes_per_tile;
  bytes.program = ground.fabric.program_bytes;
  bytes.activations = work.kept(as_double(layer.hidden));
  bytes.layer =
      std::max(attention.blocks + work.kept(as_double(layer.hidden + key_value_elements(layer))),
               work.blocks() + work.kept(widest));
  // Two rows of weights.
  bytes.buffers = 2 * work.features(widest) * ground.fabric.element_bytes;
  return bytes;
}

SequenceTurns turns_of_prompts(const StreamingGround& ground, const BatchWork& work) {
  constexpr std::int64_t kTurnSteps = 5;  // to twice as many turns
  SequenceTurns best = work.attention(work.batch());
  StreamingBytes least = bytes_of_prompts(ground, work, best);
  const std::int64_t batch = work.batch();
  for (std::int64_t turns = 2; turns < 2 * batch; turns += parts_of(turns, kTurnSteps)) {
    const SequenceTurns other = work.attention(parts_of(batch, turns));
    const StreamingBytes bytes = bytes_of_prompts(ground, work, other);
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
