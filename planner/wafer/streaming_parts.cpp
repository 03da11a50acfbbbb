#include "planner/wafer/streaming_parts.h"

#include <algorithm>
#include <utility>

#include "kernels/tile_parts.h"

// Problem: say what a micro-batch takes in each part of a model whose weights stream.
// Idea: where a machine's training programs were measured, a layer is the sum of a fixed time, of
// its multiply-adds at their share of the peak, and of its weights at their share of the ports'
// rate: what was measured leaves no room for hiding one behind another. Elsewhere tiles take what
// their operators cost, and a layer the longest of tiles, ports and links.
// Source: the fit is scripts/fit_training.py; operators as in docs/operators.md. Cost: O(1).
namespace waferloom::planner {
namespace {

constexpr double kBackward = 2;  // products behind for each one forward
/// A layer's fixed time is half forward, half backward.
constexpr double kPasses = 2;

/// Multiply-adds of a micro-batch at the share of the peak of its tiles, in cycles.
double at_share(const StreamingGround& ground, const BatchWork& work, double multiply_adds) {
  const TileGrid& tiles = work.site().tiles;
  return multiply_adds /
         (as_double(tiles.rows * tiles.columns) * most_multiply_adds_per_cycle(ground));
}

/// Multiply-adds of a token in a layer's attention: with keys, and with values; in the mean of all
/// layers.
double attention_multiply_adds(const LayerStack& stack) {
  const WindowCosts seen = stack.costs([&](std::int64_t window) {
    return as_double(seen_tokens({stack.layer.sequence, window}));
  });
  return 2 * stack.mean(seen) * as_double(stack.layer.query_features());
}

ModelCycles measured_cycles(const StreamingGround& ground, BatchWork& work) {
  const TileTransformer& model = ground.model;
  ModelCycles cycles;
  cycles.products = at_share(ground, work, as_double(model.layer_parameters()) * work.tokens());
  cycles.products_behind = kBackward * cycles.products;
  cycles.turns = possible_turns(work);
  for (SequenceTurns& turns : cycles.turns) {
    turns.cycles = at_share(ground, work, attention_multiply_adds(model) * work.tokens());
  }
  cycles.fixed = ground.training->layer_seconds / kPasses * ground.clock();
  return cycles;
}

/// Forward and backward of a piece of the head.
std::pair<double, double> head_cycles(const StreamingGround& ground, BatchWork& work,
                                      std::int64_t pieces) {
  const TileTransformer& model = ground.model;
  const std::int64_t hidden = model.layer.hidden;
  if (!ground.trains) return {work.forward_of(hidden, model.vocabulary, work.batch()), 0};
  const std::int64_t tokens = parts_of(work.head_tokens(), pieces);
  if (ground.training) {
    const double forward =
        at_share(ground, work, as_double(model.vocabulary * hidden) * as_double(tokens));
    return {forward, kBackward * forward};
  }
  return {work.forward_of(hidden, model.vocabulary, tokens),
          work.backward_of(hidden, model.vocabulary, tokens)};
}

/// Sets a part's times from its bytes and cycles.
void time_part(StreamedPart& part, const StreamingGround& ground, const BatchWork& work) {
  const double word = as_double(ground.fabric.word_bytes);
  const auto stream_cycles = [&](double bytes) {
    return std::max(work.port_cycles(bytes), work.link_cycles(bytes / word));
  };
  const auto seconds = [&](double computed, double streamed) {
    return (ground.training ? computed + streamed : std::max(computed, streamed)) / ground.clock();
  };
  part.port_cycles = work.port_cycles(part.weight_bytes);
  part.link_cycles = work.link_cycles(part.weight_bytes / word);
  part.ports_s = work.port_cycles(part.streamed_bytes()) / ground.clock();
  part.links_s = work.link_cycles(part.streamed_bytes() / word) / ground.clock();
  part.forward_s = seconds(part.forward_cycles, stream_cycles(part.weight_bytes));
  part.backward_s =
      seconds(part.backward_cycles,
              stream_cycles(std::max(part.backward_weight_bytes, part.gradient_bytes)));
}

StreamedPart layers_of(const StreamingGround& ground, const ModelCycles& cycles,
                       Recompute recompute, double attention) {
  const double forward = cycles.products + attention + cycles.small;
  const double again = recompute == Recompute::full        ? forward
                       : recompute == Recompute::selective ? attention
                                                           : 0;
  StreamedPart layers{"layer", ground.model.layers};
  layers.weight_bytes = layers.gradient_bytes =
      as_double(ground.fabric.weight_bytes(ground.model.layer_parameters()));
  // A layer that is computed again needs its weights for that, and then for its gradients.
  layers.backward_weight_bytes = (recompute == Recompute::full ? 2 : 1) * layers.weight_bytes;
  layers.fixed_s = kPasses * cycles.fixed / ground.clock();
  layers.forward_cycles = cycles.fixed + forward;
  layers.backward_cycles =
      cycles.fixed + cycles.products_behind + kBackward * (attention + cycles.small) + again;
  return layers;
}

}  // namespace

double most_multiply_adds_per_cycle(const StreamingGround& ground) {
  constexpr double kPercent = 100;
  const double lanes = ground.fabric.lanes;
  return ground.training ? lanes * ground.training->products_percent / kPercent
                         : lanes / ground.fabric.cycles.issue;
}

ModelCycles cycles_of(const StreamingGround& ground, BatchWork& work) {
  if (ground.training) return measured_cycles(ground, work);
  const TransformerOperator& layer = ground.model.layer;
  const std::int64_t hidden = layer.hidden;
  const std::int64_t queries = layer.query_features();
  const std::int64_t keys = key_value_elements(layer);
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  ModelCycles cycles;
  const std::pair<std::int64_t, std::int64_t> matrices[] = {
      {hidden, queries + keys}, {queries, hidden}, {hidden, inner}, {layer.feed_forward, hidden}};
  for (const auto& [in, out] : matrices) {
    cycles.products += work.forward(in, out);
    if (ground.trains) cycles.products_behind += work.backward(in, out);
  }
  cycles.small = work.small();
  // Its blocks may be the largest.
  if (!ground.trains && ground.model.vocabulary > 0) head_cycles(ground, work, 1);
  cycles.turns = possible_turns(work);
  return cycles;
}

std::vector<StreamedPart> parts_of_model(const StreamingGround& ground, BatchWork& work,
                                         const ModelCycles& cycles, const SequenceTurns& turns,
                                         const StreamingChoice& choice) {
  const TileTransformer& model = ground.model;
  const double bytes = as_double(ground.fabric.element_bytes);
  const double hidden = as_double(model.layer.hidden);
  std::vector<StreamedPart> parts{layers_of(ground, cycles, choice.recompute, turns.cycles)};
  if (model.vocabulary > 0) {
    // Rows of the table come in for the tokens, and their gradients leave.
    StreamedPart embedding{"embedding", 1};
    embedding.weight_bytes = embedding.gradient_bytes = work.tokens() * hidden * bytes;
    parts.insert(parts.begin(), embedding);
    StreamedPart head{"head", choice.head_pieces};
    head.weight_bytes = head.gradient_bytes = as_double(model.vocabulary) * hidden * bytes;
    head.backward_weight_bytes = head.weight_bytes;
    const auto [forward, backward] = head_cycles(ground, work, choice.head_pieces);
    head.fixed_s = kPasses * cycles.fixed / ground.clock();
    head.forward_cycles = cycles.fixed + forward;
    head.backward_cycles = cycles.fixed + backward;
    parts.push_back(head);
  }
  for (StreamedPart& part : parts) {
    if (!ground.trains) part.backward_weight_bytes = part.gradient_bytes = part.backward_cycles = 0;
    time_part(part, ground, work);
  }
  return parts;
}

double multiply_adds(const StreamingGround& ground) {
  const TileTransformer& model = ground.model;
  const double passes = ground.trains ? 1 + kBackward : 1;
  const double attention = attention_multiply_adds(model) * as_double(model.layers);
  const double head_tokens = ground.trains ? as_double(model.head_tokens) : 1;
  const double head = as_double(model.vocabulary * model.layer.hidden) * head_tokens /
                      as_double(model.layer.sequence);
  return passes * (as_double(model.layers * model.layer_parameters()) + head + attention);
}

}  // namespace waferloom::planner
