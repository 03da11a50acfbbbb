#include <algorithm>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_operators.h"
#include "kernels/tile_parts.h"

// Problem: tell what the operators of a transformer's block cost beside its products.
// Idea: all of them are vector operations on a tile's own numbers and all-reduces along lines of
// tiles. A block that decodes a token is their sum, since each waits for the one before.
// Source: the order of a block and its all-reduces as in WaferLLM (OSDI'25); cycles as fitted for
// products (docs/operators.md). No row of these operators alone was measured.
// Cost: O(1) with a number of groups, else O(√tiles) for each all-reduce.
namespace waferloom {
OperatorParts& OperatorParts::operator+=(const OperatorParts& other) {
  start += other.start;
  local += other.local;
  words += other.words;
  hops += other.hops;
  return *this;
}

void MeshOperator::follow(const MeshOperator& next) {
  used = next.used;
  parts += next.parts;
  words_per_link += next.words_per_link;
  colours = std::max(colours, next.colours);
  bytes_per_tile = std::max(bytes_per_tile, next.bytes_per_tile);
  multiply_adds += next.multiply_adds;
}

MeshOperator mesh_all_reduce(const TileFabric& fabric, std::int64_t elements,
                             const TileLine& line) {
  const auto [tiles, groups] = line;
  MeshOperator result;
  result.used = {1, tiles};
  result.bytes_per_tile = bytes_of(fabric, 2 * elements);
  if (tiles < 2) return result;
  const TwoWayChain chain = two_way_chain({tiles, groups});
  const double all = two_way_all_reduce_cycles(fabric, chain, elements);
  result.parts.words = std::min(all, as_double(chain.passes * words_of(fabric, elements)));
  result.parts.hops = std::min(all - result.parts.words, as_double(chain.hops) * fabric.hop_cycles);
  result.parts.start = fabric.cycles.start + all - result.parts.hops - result.parts.words;
  result.words_per_link = 2 * as_double(words_of(fabric, elements));
  result.colours = 5;  // two a chain, one of the broadcast
  return result;
}

MeshOperator mesh_element_wise(const TileFabric& fabric, const ElementWork& work,
                               const TileGrid& tiles) {
  const auto [elements, operations] = work;
  const std::int64_t own = parts_of(elements, tiles.rows * tiles.columns);
  MeshOperator result;
  result.used = tiles;
  result.parts.start = fabric.cycles.start;
  result.parts.local = vector_cycles(operations, fabric, own);
  result.bytes_per_tile = bytes_of(fabric, 2 * own);
  result.multiply_adds = as_double(elements) * as_double(operations);
  return result;
}

MeshOperator mesh_activation(const TileFabric& fabric, std::int64_t own, bool gated) {
  // A sum, a product, and the product with the other half where it is gated.
  const std::int64_t operations = gated ? 3 : 2;
  MeshOperator result;
  result.parts.start = fabric.cycles.start;
  result.parts.local = vector_cycles(operations, fabric, own) + exponential_cycles(1, fabric, own);
  result.bytes_per_tile = bytes_of(fabric, operations * own);
  return result;
}

void follow_in_program(MeshOperator& whole, const TileFabric& fabric, const MeshOperator& next,
                       std::int64_t steps) {
  whole.follow(next);
  whole.parts.start += as_double(steps) * fabric.cycles.step;
}

MeshOperator mesh_norm(const TileFabric& fabric, const MatrixShape& matrix, const TileGrid& tiles,
                       std::int64_t groups) {
  const auto [tokens, features] = matrix;
  constexpr std::int64_t kPasses = 2;  // squares, scaling
  const std::int64_t own_tokens = parts_of(tokens, tiles.columns);
  const std::int64_t own_features = parts_of(features, tiles.rows);
  MeshOperator result =
      mesh_all_reduce(fabric, own_tokens, {.tiles = tiles.rows, .groups = groups});
  result.used = tiles;
  result.parts.start = std::max(result.parts.start, fabric.cycles.start);
  result.parts.local = vector_cycles(kPasses * own_tokens, fabric, own_features);
  result.bytes_per_tile = bytes_of(fabric, 2 * own_tokens * own_features + own_tokens);
  result.multiply_adds = as_double(kPasses) * as_double(tokens) * as_double(features);
  return result;
}

MeshOperator mesh_softmax(const TileFabric& fabric, const MatrixShape& matrix,
                          const TileGrid& tiles, std::int64_t groups) {
  const auto [rows, length] = matrix;
  constexpr std::int64_t kPasses = 3;  // the largest, the sum, scaling
  const std::int64_t own_rows = parts_of(rows, tiles.columns);
  const std::int64_t own_length = parts_of(length, tiles.rows);
  MeshOperator result = mesh_all_reduce(fabric, own_rows, {.tiles = tiles.rows, .groups = groups});
  result.follow(mesh_all_reduce(fabric, own_rows, {.tiles = tiles.rows, .groups = groups}));
  result.used = tiles;
  result.parts.start = std::max(result.parts.start, fabric.cycles.start);
  result.parts.local = vector_cycles(kPasses * own_rows, fabric, own_length) +
                       exponential_cycles(own_rows, fabric, own_length);
  result.bytes_per_tile = bytes_of(fabric, own_rows * own_length + 2 * own_rows);
  result.multiply_adds = as_double(kPasses) * as_double(rows) * as_double(length);
  return result;
}

MeshOperator mesh_transpose(const TileFabric& fabric, const MatrixShape& matrix,
                            const TileGrid& tiles) {
  const std::int64_t side = std::min(tiles.rows, tiles.columns);
  const std::int64_t block = parts_of(matrix.rows, side) * parts_of(matrix.columns, side);
  MeshOperator result;
  result.used = {side, side};
  result.words_per_link = as_double(side - 1) * as_double(words_of(fabric, block));
  result.parts.start = fabric.cycles.start + fabric.cycles.phase;
  if (side > 1) {
    // Either the farthest block's way is longer, or the words that come to the last row's end.
    const double words = as_double(words_of(fabric, block));
    const double farthest = fabric.way(2 * as_double(side - 1)) + words;
    const double busiest = result.words_per_link + fabric.way(2);
    result.parts.words = result.words_per_link;
    result.parts.hops = std::max(farthest, busiest) - result.words_per_link;
  }
  result.colours = 2;
  result.bytes_per_tile = bytes_of(fabric, 2 * block);
  return result;
}

MeshOperator mesh_decode_attention(const TileFabric& fabric, const DecodeAttention& attention,
                                   std::int64_t kv_heads, const TileGrid& tiles,
                                   std::int64_t groups) {
  const std::int64_t tokens = parts_of(attention.tokens, tiles.rows);
  const std::int64_t features = parts_of(attention.heads * attention.head_size, tiles.columns);
  const std::int64_t heads = parts_of(attention.heads, tiles.columns);  // of a column of tiles
  const std::int64_t of_head = std::max<std::int64_t>(1, tiles.columns / attention.heads);
  const std::int64_t samples = attention.samples;
  MeshOperator result;
  result.parts.local = vector_cycles(samples * tokens, fabric, features);  // scores
  result.follow(
      mesh_all_reduce(fabric, samples * heads * tokens, {.tiles = of_head, .groups = groups}));
  // Every column of tiles has the rows of each sample.
  result.follow(mesh_softmax(
      fabric, {(samples - 1) * tiles.columns + attention.heads, attention.tokens}, tiles, groups));
  result.parts.local += vector_cycles(samples * tokens, fabric, features);  // weighted values
  result.follow(
      mesh_all_reduce(fabric, samples * features, {.tiles = tiles.rows, .groups = groups}));
  result.used = tiles;
  const std::int64_t kept = parts_of(kv_heads * attention.head_size, tiles.columns);
  result.bytes_per_tile =
      bytes_of(fabric, samples * (2 * tokens * kept + heads * tokens + 2 * features));
  result.multiply_adds += 2 * as_double(samples) * as_double(attention.tokens) *
                          as_double(attention.heads) * as_double(attention.head_size);
  return result;
}

std::array<BlockOperator, 10> decode_block_operators(const TileFabric& tiles_of,
                                                     const DecodeBlock& block,
                                                     const TileGrid& tiles, std::int64_t groups) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_decode);
  const DecodeAttention& attention = block.attention;
  const std::int64_t wide = attention.heads * attention.head_size;
  const std::int64_t narrow = block.kv_heads * attention.head_size;
  const std::int64_t inner = (block.gated ? 2 : 1) * block.feed_forward;
  // Sums of products go along columns, then along rows, so that a result lies as the next operand.
  const TileGrid turned{tiles.columns, tiles.rows};
  const std::int64_t samples = attention.samples;
  const auto product = [&](std::int64_t k, std::int64_t n, const TileGrid& grid) {
    return mesh_few_rows(fabric, {samples, k, n}, grid, groups);
  };
  // Every column of tiles has all samples.
  const MeshOperator norm =
      mesh_norm(fabric, {(samples - 1) * tiles.columns + 1, block.hidden}, tiles, groups);
  const MeshOperator sum = mesh_element_wise(fabric, {samples * block.hidden, 1}, tiles);
  // All tiles of a column have the same sums, and each works on all of them.
  const std::int64_t activated = block.activated > 0 ? block.activated : block.feed_forward;
  const std::int64_t own = samples * parts_of(activated, tiles.columns);
  return {{{"norm", norm},
           {"queries, keys, values", product(block.hidden, wide + 2 * narrow, tiles)},
           {"attention", mesh_decode_attention(fabric, attention, block.kv_heads, tiles, groups),
            kAttentionSteps},
           {"output", product(wide, block.hidden, turned)},
           {"sum", sum},
           {"norm", norm},
           {"feed-forward in", product(block.hidden, inner, tiles)},
           {"gate", mesh_activation(fabric, own, block.gated)},
           {"feed-forward out", product(block.feed_forward, block.hidden, turned)},
           {"sum", sum}}};
}

DecodeBlockCost mesh_decode_block(const TileFabric& tiles_of, const DecodeBlock& block,
                                  const TileGrid& tiles, std::int64_t groups) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_decode);
  DecodeBlockCost cost;
  std::int64_t bytes = fabric.program_bytes;
  for (const BlockOperator& part : decode_block_operators(fabric, block, tiles, groups)) {
    bytes += part.cost.bytes_per_tile - fabric.program_bytes;
    const double before = cost.whole.parts.total();
    follow_in_program(cost.whole, fabric, part.cost, part.steps);
    if (part.cost.colours > 0) {
      cost.communication += cost.whole.parts.total() - before - part.cost.parts.local;
    }
  }
  cost.whole.used = tiles;
  cost.whole.bytes_per_tile = bytes;  // weights and caches stay
  return cost;
}

}  // namespace waferloom
