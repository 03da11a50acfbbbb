#include "planner/wafer/tile_transformer.h"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/tile_parts.h"
#include "model/errors.h"
#include "model/hardware.h"

namespace waferloom::planner {

std::int64_t TileTransformer::layer_parameters() const {
  const std::int64_t products = layer.feed_forward_matrices();
  return layer.hidden * (2 * layer.query_features() + 2 * layer.key_features()) +
         products * layer.hidden * layer.feed_forward;
}

std::int64_t TileTransformer::end_parameters() const {
  return (tied ? 1 : 2) * vocabulary * layer.hidden;
}

std::int64_t TileTransformer::parameters() const {
  return layers * layer_parameters() + end_parameters();
}

std::int64_t parameter_bytes(const TileFabric& fabric, const TileTransformer& model) {
  return fabric.weight_bytes(model.layers * model.layer_parameters()) +
         model.end_parameters() * fabric.element_bytes;
}

std::int64_t TileTransformer::cache_elements() const { return layers * 2 * layer.key_features(); }

std::int64_t TileTransformer::cache_elements(std::int64_t tokens) const {
  std::int64_t seen = 0;
  for (const auto& [window, count] : kinds()) seen += count * seen_tokens({tokens, window});
  return seen * 2 * layer.key_features();
}

TileTransformer tile_transformer(const Workload& workload, NetworkUser user) {
  demand_known(workload, user);
  TileTransformer model;
  for (const Operator& op : workload.operators) {
    if (const auto* head = std::get_if<HeadOperator>(&op.kind)) {
      model.vocabulary = head->vocabulary;
      model.head_tokens = head->sequence;
      model.tied = head->tied;
    } else if (!std::holds_alternative<EmbeddingOperator>(op.kind) &&
               !std::holds_alternative<TransformerOperator>(op.kind)) {
      throw RequestError(op.name + " is no layer of a language model, nor its embedding or head");
    }
  }
  static_cast<LayerStack&>(model) = layer_stack(workload);
  if (model.layers == 0) throw RequestError("a network without transformer layers");
  return model;
}

TileTransformer as_waferllm(TileTransformer model) {
  model.joined = false;
  model.layer.head_size = model.layer.query_features();
  model.layer.heads = 1;
  model.layer.key_value_heads = 1;
  return model;
}

DecodeBlock decode_block(const TileTransformer& model, std::int64_t context, std::int64_t samples) {
  const TransformerOperator& layer = model.layer;
  return {{std::max<std::int64_t>(1, context), layer.heads, layer.features_of_head(), samples},
          layer.hidden,
          layer.key_value_heads,
          layer.feed_forward,
          layer.gated,
          0,
          layer.norms};
}

MeshOperator decode_layer(const TileFabric& fabric, const TileTransformer& model,
                          std::int64_t context, std::int64_t samples, const TileGrid& tiles) {
  return mesh_decode_block(fabric, decode_block(model, context, samples), tiles).whole;
}

PrefillBlock prefill_block(const TileTransformer& model, std::int64_t tokens, std::int64_t window) {
  const TransformerOperator& layer = model.layer;
  return {{tokens, layer.heads, layer.features_of_head(), 1, window},
          layer.hidden,
          layer.key_value_heads,
          layer.feed_forward,
          layer.gated,
          model.joined,
          layer.norms};
}

MeshOperator prefill_layer(const TileFabric& fabric, const TileTransformer& model,
                           std::int64_t tokens, GemmAlgorithm algorithm, const TileGrid& tiles,
                           std::int64_t window) {
  return mesh_prefill_block(fabric, prefill_block(model, tokens, window), algorithm, tiles);
}

MeshOperator model_ends(const TileFabric& tiles_of, const TileTransformer& model,
                        std::int64_t samples, const TileGrid& tiles) {
  MeshOperator ends;
  if (model.vocabulary == 0) return ends;
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_decode);
  const std::int64_t hidden = model.layer.hidden;
  follow_in_program(ends, fabric,
                    mesh_embedding(fabric, {samples, model.vocabulary, hidden}, tiles), 1);
  // The sums lie along the rows behind the last layer.
  follow_in_program(ends, fabric, mesh_few_rows(fabric, {samples, hidden, model.vocabulary}, tiles),
                    1);
  follow_in_program(ends, fabric, mesh_all_reduce(fabric, samples, {.tiles = tiles.columns}), 1);
  ends.used = tiles;
  return ends;
}

double decode_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t context,
                     std::int64_t samples, const TileGrid& tiles) {
  const WindowCosts layers = model.costs([&](std::int64_t window) {
    return decode_layer(fabric, model, seen_tokens({context, window}), samples, tiles)
        .parts.total();
  });
  return model.sum(layers) + model_ends(fabric, model, samples, tiles).parts.total();
}

double prefill_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t tokens,
                      GemmAlgorithm algorithm, const TileGrid& tiles) {
  const WindowCosts layers = model.costs([&](std::int64_t window) {
    return prefill_layer(fabric, model, tokens, algorithm, tiles, window).parts.total();
  });
  return model.sum(layers) + model_ends(fabric, model, 1, tiles).parts.total();
}

double mean_over_output(std::int64_t prompt, std::int64_t output,
                        const std::function<double(std::int64_t)>& cycles) {
  constexpr std::int64_t kContexts = 8;
  double mean = 0;
  for (std::int64_t i = 0; i < kContexts; ++i) {
    mean += cycles(prompt + output * (2 * i + 1) / (2 * kContexts)) / kContexts;
  }
  return mean;
}

double output_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t prompt,
                     std::int64_t output, const TileGrid& tiles, std::int64_t samples) {
  const WindowCosts layers = model.costs([&](std::int64_t window) {
    return mean_over_output(prompt, output, [&](std::int64_t context) {
      return decode_layer(fabric, model, seen_tokens({context, window}), samples, tiles)
          .parts.total();
    });
  });
  const double ends = model_ends(fabric, model, samples, tiles).parts.total();
  return as_double(output) * (model.sum(layers) + ends);
}

double relayout_cycles(const TileFabric& fabric, const TileTransformer& model,
                       const TileGrid& tiles, std::int64_t cut) {
  // Half of all words cross the cut, in either direction half of those.
  const double words = as_double(parts_of(parameter_bytes(fabric, model), fabric.word_bytes));
  return words / 4 / as_double(cut) + fabric.way(as_double(tiles.rows + tiles.columns) / 2);
}

std::int64_t layer_weight_bytes(const TileFabric& fabric, const TileTransformer& model,
                                const TileGrid& tiles) {
  const TransformerOperator& layer = model.layer;
  const auto block = [&](std::int64_t down, std::int64_t across) {
    return parts_of(down, tiles.rows) * parts_of(across, tiles.columns);
  };
  // The products out of attention and of the feed-forward network lie turned.
  const auto turned = [&](std::int64_t down, std::int64_t across) {
    return parts_of(down, tiles.columns) * parts_of(across, tiles.rows);
  };
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  const std::int64_t weights =
      block(layer.hidden, layer.query_features() + 2 * layer.key_features()) +
      turned(layer.query_features(), layer.hidden) + block(layer.hidden, inner) +
      turned(layer.feed_forward, layer.hidden);
  return fabric.weight_bytes(weights);
}

std::int64_t layer_cache_bytes(const TileFabric& fabric, const TileTransformer& model,
                               std::int64_t tokens, const TileGrid& tiles) {
  return fabric.cache_bytes(2 * parts_of(tokens, tiles.rows) *
                            parts_of(model.layer.key_features(), tiles.columns));
}

std::int64_t decode_vector_bytes(const TileFabric& tiles_of, const TileTransformer& model,
                                 std::int64_t samples, const TileGrid& tiles) {
  const TileFabric fabric = tiles_of.wide();
  const MeshOperator whole = decode_layer(fabric, model, 1, samples, tiles);
  return whole.bytes_per_tile - fabric.program_bytes - layer_weight_bytes(fabric, model, tiles) -
         samples * layer_cache_bytes(fabric, model, 1, tiles);
}

TileGrid fastest_decode_mesh(const TileFabric& fabric, const TileTransformer& model,
                             const Hardware& hardware) {
  const std::int64_t most = std::min(hardware.wafer.width, hardware.wafer.height);
  TileGrid best{1, 1};
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t side = 1; side <= most; ++side) {
    const double cycles = decode_layer(fabric, model, 1, 1, {side, side}).parts.total();
    if (cycles >= least) continue;
    least = cycles;
    best = {side, side};
  }
  return best;
}

double longest_cached(const TileFabric& fabric, const TileTransformer& model,
                      const Hardware& hardware) {
  const std::int64_t tiles = hardware_totals(hardware).tiles;
  const TileGrid mesh = fastest_decode_mesh(fabric, model, hardware);
  const std::int64_t taken = fabric.program_bytes + decode_vector_bytes(fabric, model, 1, mesh);
  const double left =
      as_double(hardware.sram_bytes_per_tile.value_or(0) - taken) * as_double(tiles) -
      as_double(fabric.weight_bytes(model.layers * model.layer_parameters()));
  return std::max(0.0, left / as_double(fabric.cache_bytes(model.cache_elements())));
}

}  // namespace waferloom::planner
