#pragma once

#include <cstdint>
#include <functional>

#include "kernels/mesh_layers.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "planner/network/network_keys.h"

namespace waferloom::planner {

/// A language model as programs of tiles see it: layers between an embedding and a head.
struct TileTransformer : LayerStack {
  std::int64_t vocabulary = 0;   ///< 0: no embedding, no head
  std::int64_t head_tokens = 0;  ///< of a sequence that the head has logits of in training
  bool tied = false;             ///< the head's matrix is the embedding's
  bool joined = true;            ///< products of the same operand are one in prefill

  std::int64_t layer_parameters() const;  ///< of a layer's matrices
  std::int64_t end_parameters() const;    ///< of the embedding and the head together
  std::int64_t parameters() const;
  /// Elements of keys and values that a token leaves in the caches of all layers.
  std::int64_t cache_elements() const;
  /// The same of so many tokens of a sequence: a layer with a window keeps no more than that.
  std::int64_t cache_elements(std::int64_t tokens) const;
};

/// The layers, embedding and head of a workload that `user` takes. Throws RequestError for a
/// network of other operators, with layers that differ, or with keys that `user` does not know.
TileTransformer tile_transformer(const Workload& workload, NetworkUser user);

/// The same as WaferLLM's programs run it: all heads as a single one as wide as they are together
/// ("one fused head"), keys and values as wide as queries, each matrix a product of its own.
TileTransformer as_waferllm(TileTransformer model);

/// A layer as kernels see it that decodes a token of each of `samples` sequences and sees `context`
/// tokens of each.
DecodeBlock decode_block(const TileTransformer& model, std::int64_t context, std::int64_t samples);
/// A layer that decodes a token of each of `samples` sequences, with `context` tokens in each
/// cache.
MeshOperator decode_layer(const TileFabric& fabric, const TileTransformer& model,
                          std::int64_t context, std::int64_t samples, const TileGrid& tiles);
/// A layer as kernels see it that works on a prompt of so many tokens.
PrefillBlock prefill_block(const TileTransformer& model, std::int64_t tokens,
                           std::int64_t window = 0);
/// A layer that works on a prompt of so many tokens, products by `algorithm`.
MeshOperator prefill_layer(const TileFabric& fabric, const TileTransformer& model,
                           std::int64_t tokens, GemmAlgorithm algorithm, const TileGrid& tiles,
                           std::int64_t window = 0);
/// Embedding and head for one token of each of `samples` sequences; nothing without a vocabulary.
MeshOperator model_ends(const TileFabric& fabric, const TileTransformer& model,
                        std::int64_t samples, const TileGrid& tiles);

/// Cycles of a token through all layers, embedding and head: no layer begins before the last has
/// ended.
double decode_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t context,
                     std::int64_t samples, const TileGrid& tiles);
/// Cycles of a prompt through all layers, and of the head for its last token.
double prefill_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t tokens,
                      GemmAlgorithm algorithm, const TileGrid& tiles);

/// The mean of what a token takes with so many tokens before it, over an output behind a prompt.
/// The context grows with each token; eight contexts spread evenly stand for all.
double mean_over_output(std::int64_t prompt, std::int64_t output,
                        const std::function<double(std::int64_t context)>& cycles);

/// Cycles of so many output tokens behind a prompt, a layer's as the mean over the output.
double output_cycles(const TileFabric& fabric, const TileTransformer& model, std::int64_t prompt,
                     std::int64_t output, const TileGrid& tiles, std::int64_t samples);

/// Bytes of all matrices, those of layers as the network keeps them.
std::int64_t parameter_bytes(const TileFabric& fabric, const TileTransformer& model);
/// Cycles to lay a model's weights anew, each over the links that cut the tiles in half, `cut` of
/// them: what goes from the layout of prefill to that of decode.
double relayout_cycles(const TileFabric& fabric, const TileTransformer& model,
                       const TileGrid& tiles, std::int64_t cut);

/// Bytes of a tile that a layer's matrices take, blocks padded.
std::int64_t layer_weight_bytes(const TileFabric& fabric, const TileTransformer& model,
                                const TileGrid& tiles);
/// Bytes of a tile that a layer's keys and values of so many tokens take, tokens over all rows.
std::int64_t layer_cache_bytes(const TileFabric& fabric, const TileTransformer& model,
                               std::int64_t tokens, const TileGrid& tiles);
/// Bytes of a tile that a layer's vectors take while a token of each of `samples` sequences is
/// decoded, without weights, caches and program.
std::int64_t decode_vector_bytes(const TileFabric& fabric, const TileTransformer& model,
                                 std::int64_t samples, const TileGrid& tiles);

/// The square on which a layer decodes a token fastest, whatever its memory. O(side).
TileGrid fastest_decode_mesh(const TileFabric& fabric, const TileTransformer& model,
                             const Hardware& hardware);

/// Tokens of one sequence that caches can hold if a token is decoded on that square, the layers'
/// weights lie evenly over all live tiles, and the caches over what is left.
/// Embedding and head stay with the host.
double longest_cached(const TileFabric& fabric, const TileTransformer& model,
                      const Hardware& hardware);

}  // namespace waferloom::planner
