#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"

// Problem: tell what layers of networks cost on a rectangle of tiles that are several products, or
// products and words that go elsewhere.
// Idea: add their parts one after another. Heads and experts get equal parts of the rectangle, and
// the fullest of them is the time. Words between parts count where they must all pass: at the cut
// through the rectangle's middle.
// Source: prefill as in WaferLLM (OSDI'25); experts' all-to-all is bounded by its bisection; the
// rest is ours. No row of these layers was measured.
// Cost: O(1) but for all-reduces without a number of groups, O(√tiles).
namespace waferloom {
namespace {

bool is_copied(MatrixLayout layout) {
  return layout == MatrixLayout::down_copied || layout == MatrixLayout::across_copied;
}

bool is_turned(MatrixLayout layout) {
  return layout == MatrixLayout::rows_across || layout == MatrixLayout::across_copied;
}

/// Every tile of a line gets the blocks of all: they go round one after another, in the routers.
MeshOperator gathered(const TileFabric& fabric, std::int64_t elements, std::int64_t tiles) {
  MeshOperator result;
  result.used = {1, tiles};
  result.bytes_per_tile = bytes_of(fabric, elements * tiles);
  if (tiles < 2) return result;
  result.parts.start = fabric.cycles.start + fabric.cycles.phase;
  // Either the farthest block's way is longer, or the words that a tile takes in.
  const double words = as_double(words_of(fabric, elements));
  result.parts.words = as_double(tiles - 1) * words;
  result.parts.hops =
      std::max(fabric.way(as_double(tiles - 1)) + words, result.parts.words + fabric.way(1)) -
      result.parts.words;
  result.words_per_link = result.parts.words;
  result.colours = 2;
  return result;
}

}  // namespace

MeshOperator mesh_exchange(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles) {
  MeshOperator exchange;
  const double cut = as_double(std::min(tiles.rows, tiles.columns));
  exchange.used = tiles;
  exchange.parts.start = fabric.cycles.start + fabric.cycles.phase;
  exchange.parts.words = std::ceil(as_double(words_of(fabric, elements)) / 4 / cut);
  exchange.parts.hops = fabric.way(as_double(tiles.rows + tiles.columns) / 2);
  exchange.words_per_link = exchange.parts.words;
  exchange.colours = 4;
  return exchange;
}

TileGrid equal_part(const TileGrid& tiles, std::int64_t count) {
  TileGrid best{std::max<std::int64_t>(1, tiles.rows / count), tiles.columns};
  double least = 0;
  for (std::int64_t across = 1; across <= std::min(count, tiles.columns); ++across) {
    const TileGrid part{tiles.rows / parts_of(count, across), tiles.columns / across};
    if (part.rows < 1) continue;
    const auto shorter = static_cast<double>(std::min(part.rows, part.columns));
    if (shorter <= least) continue;
    least = shorter;
    best = part;
  }
  return best;
}

MeshOperator mesh_convert(const TileFabric& fabric, MatrixLayout from, MatrixLayout to,
                          const MatrixShape& matrix, const TileGrid& tiles) {
  MeshOperator result;
  result.used = tiles;
  if (from == to) return result;
  // Each tile keeps its block of what it has copies of.
  if (is_turned(from) != is_turned(to)) result.follow(mesh_transpose(fabric, matrix, tiles));
  if (is_copied(to) && !(is_copied(from) && is_turned(from) == is_turned(to))) {
    const std::int64_t down = is_turned(to) ? tiles.columns : tiles.rows;
    const std::int64_t across = is_turned(to) ? tiles.rows : tiles.columns;
    result.follow(
        gathered(fabric, parts_of(matrix.rows, down) * parts_of(matrix.columns, across), across));
  }
  result.used = tiles;
  return result;
}

MeshOperator fastest_gemm(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles) {
  MeshOperator best = mesh_gemm(fabric, GemmAlgorithm::weight_stationary, shape, tiles);
  for (std::size_t i = 1; i < kGemmAlgorithmNames.size(); ++i) {
    const MeshOperator other = mesh_gemm(fabric, static_cast<GemmAlgorithm>(i), shape, tiles);
    if (other.parts.total() < best.parts.total()) best = other;
  }
  return best;
}

MeshOperator mesh_gemm_backward(const TileFabric& fabric, GemmAlgorithm algorithm,
                                const GemmShape& shape, const TileGrid& tiles) {
  MeshOperator result = mesh_transpose(fabric, {shape.k, shape.n}, tiles);
  result.follow(mesh_gemm(fabric, algorithm, {shape.m, shape.n, shape.k}, tiles));
  result.follow(mesh_transpose(fabric, {shape.m, shape.k}, tiles));
  result.follow(mesh_gemm(fabric, algorithm, {shape.k, shape.m, shape.n}, tiles));
  return result;
}

GemmShape product_of(const MeshConvolution& convolution) {
  return {convolution.positions, convolution.in_channels * convolution.kernel * convolution.kernel,
          convolution.out_channels};
}

MeshOperator mesh_prefill_attention(const TileFabric& fabric, const DecodeAttention& attention,
                                    std::int64_t kv_heads, GemmAlgorithm algorithm,
                                    const TileGrid& tiles) {
  const std::int64_t tokens = attention.tokens;
  const bool is_cut = attention.window > 0 && 2 * attention.window < tokens;
  const std::int64_t rows = is_cut ? attention.window : tokens;
  const std::int64_t seen = is_cut ? 2 * attention.window : tokens;
  const std::int64_t blocks = attention.heads * parts_of(tokens, rows);
  const TileGrid part = equal_part(tiles, blocks);
  // Heads that find no part of their own take turns.
  const std::int64_t side_by_side =
      std::min(blocks, (tiles.rows / part.rows) * (tiles.columns / part.columns));
  const std::int64_t turns = parts_of(blocks, side_by_side);
  const GemmShape scores{rows, attention.head_size, seen};
  MeshOperator head = algorithm == GemmAlgorithm::meshgemm
                          ? mesh_scores(fabric, scores, part)
                          : mesh_gemm(fabric, algorithm, scores, part);
  head.follow(mesh_softmax(fabric, {rows, seen}, part));
  head.follow(mesh_gemm(fabric, algorithm, {rows, seen, attention.head_size}, part));
  MeshOperator result = head;
  for (std::int64_t turn = 1; turn < turns; ++turn) result.follow(head);
  const std::int64_t kept =
      parts_of(2 * tokens * kv_heads * attention.head_size, tiles.rows * tiles.columns);
  result.used = tiles;
  result.bytes_per_tile = head.bytes_per_tile + kept * fabric.element_bytes;
  result.multiply_adds = head.multiply_adds * as_double(blocks);
  return result;
}

MeshOperator mesh_prefill_block(const TileFabric& tiles_of, const PrefillBlock& block,
                                GemmAlgorithm algorithm, const TileGrid& tiles) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_prefill);
  const DecodeAttention& attention = block.attention;
  const std::int64_t tokens = attention.tokens;
  const std::int64_t wide = attention.heads * attention.head_size;
  const std::int64_t narrow = block.kv_heads * attention.head_size;
  const std::int64_t inputs = block.gated ? 2 : 1;
  const auto product = [&](std::int64_t k, std::int64_t n, Alignment alignment) {
    return mesh_gemm(fabric, algorithm, {tokens, k, n}, tiles, alignment);
  };
  const MeshOperator norm =
      mesh_norm(fabric, {tokens, block.hidden}, TileGrid{tiles.columns, tiles.rows});
  const std::int64_t own_tokens = parts_of(tokens, tiles.rows);
  MeshOperator result;
  const auto follow = [&](const MeshOperator& part, std::int64_t steps) {
    follow_in_program(result, fabric, part, steps);
  };
  // Products of the same operand: the first one aligns it.
  const auto products = [&](std::initializer_list<std::int64_t> widths) {
    if (block.joined) {
      const std::int64_t all = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
      return follow(product(block.hidden, all, Alignment::needed), 1);
    }
    Alignment alignment = Alignment::needed;
    for (const std::int64_t width : widths) {
      follow(product(block.hidden, width, alignment), 1);
      alignment = Alignment::done;
    }
  };
  follow(norm, 1);
  products({wide, narrow, narrow});
  if (attention.heads > 1) {
    follow(mesh_exchange(fabric, tokens * (wide + 2 * narrow), tiles), 1);
  }
  follow(mesh_prefill_attention(fabric, attention, block.kv_heads, algorithm, tiles),
         kAttentionSteps);
  if (attention.heads > 1) follow(mesh_exchange(fabric, tokens * wide, tiles), 1);
  follow(product(wide, block.hidden, Alignment::needed), 1);
  const MeshOperator sum = mesh_element_wise(fabric, {tokens * block.hidden, 1}, tiles);
  follow(sum, 1);
  follow(norm, 1);
  if (block.gated) {
    products({block.feed_forward, block.feed_forward});
  } else {
    products({block.feed_forward});
  }
  follow(mesh_activation(fabric, own_tokens * parts_of(block.feed_forward, tiles.columns),
                         block.gated),
         1);
  follow(product(block.feed_forward, block.hidden, Alignment::needed), 1);
  follow(sum, 1);
  result.used = tiles;
  const std::int64_t weights =
      block.hidden * (2 * wide + 2 * narrow) + block.hidden * (inputs + 1) * block.feed_forward;
  result.bytes_per_tile += parts_of(weights, tiles.rows * tiles.columns) * fabric.element_bytes;
  return result;
}

MeshOperator mesh_rotary(const TileFabric& fabric, const MatrixShape& matrix,
                         const TileGrid& tiles) {
  constexpr std::int64_t kOperations = 3;
  return mesh_element_wise(fabric, {matrix.rows * matrix.columns, kOperations}, tiles);
}

MeshOperator mesh_embedding(const TileFabric& fabric, const VocabularyWork& work,
                            const TileGrid& tiles) {
  const auto [tokens, vocabulary, features] = work;
  const std::int64_t own = parts_of(features, tiles.columns);
  MeshOperator result;
  result.used = tiles;
  result.parts.start = fabric.cycles.start + fabric.cycles.phase;
  if (tiles.rows > 1) {
    // The last row takes in what it does not hold, the nearest token first; or the farthest one's
    // way is longer.
    const double words = as_double(words_of(fabric, own));
    result.parts.words = as_double(tokens - tokens / tiles.rows) * words;
    const auto nearest = as_double(std::max<std::int64_t>(1, tiles.rows - tokens));
    result.parts.hops = std::max(fabric.way(as_double(tiles.rows - 1)) + words,
                                 result.parts.words + fabric.way(nearest)) -
                        result.parts.words;
  }
  result.words_per_link = result.parts.words;
  result.colours = 2;
  result.bytes_per_tile = bytes_of(fabric, (parts_of(vocabulary, tiles.rows) + tokens) * own);
  return result;
}

MeshOperator mesh_head(const TileFabric& fabric, const VocabularyWork& work,
                       const TileGrid& tiles) {
  const auto [tokens, vocabulary, features] = work;
  MeshOperator result = fastest_gemm(fabric, {tokens, features, vocabulary}, tiles);
  const std::int64_t own = parts_of(vocabulary, tiles.columns);
  result.parts.local += vector_cycles(parts_of(tokens, tiles.rows), fabric, own);
  result.follow(mesh_all_reduce(fabric, parts_of(tokens, tiles.rows), {.tiles = tiles.columns}));
  result.used = tiles;
  return result;
}

MeshOperator mesh_experts(const TileFabric& fabric, const MeshExperts& experts, double load,
                          GemmAlgorithm algorithm, const TileGrid& tiles) {
  const TileGrid part = equal_part(tiles, experts.experts);
  const std::int64_t sent = experts.tokens * experts.chosen;
  const auto fullest =
      static_cast<std::int64_t>(std::ceil(as_double(sent) / as_double(experts.experts) * load));
  const std::int64_t most = std::max<std::int64_t>(1, std::min(fullest, experts.tokens));
  const MeshOperator exchange = mesh_exchange(fabric, sent * experts.hidden, tiles);
  MeshOperator result = exchange;
  result.follow(
      mesh_gemm(fabric, algorithm, {most, experts.hidden, 2 * experts.feed_forward}, part));
  result.follow(mesh_element_wise(fabric, {most * experts.feed_forward, 2}, part));
  result.follow(mesh_gemm(fabric, algorithm, {most, experts.feed_forward, experts.hidden}, part));
  result.follow(exchange);
  result.used = tiles;
  // Weights of both products stay.
  const std::int64_t weights =
      parts_of(3 * experts.hidden * experts.feed_forward, part.rows * part.columns);
  result.bytes_per_tile = std::max(result.bytes_per_tile, bytes_of(fabric, weights));
  result.multiply_adds =
      3 * as_double(sent) * as_double(experts.hidden) * as_double(experts.feed_forward);
  return result;
}

}  // namespace waferloom
