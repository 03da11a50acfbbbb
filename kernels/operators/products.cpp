#include <algorithm>
#include <cmath>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_operators.h"
#include "kernels/operators/tile_parts.h"

// Problem: tell what products of matrices and vectors cost on a rectangle of tiles, in closed form.
// Idea: a product is a number of steps. In a step a tile multiplies its blocks and exchanges them
// with others. Local products are rank-one updates: a start, a vector operation for each column,
// and an issue for as many multiply-adds as a tile does at once.
// Source: the algorithms as in mesh_operators.h. Their cycles are fitted on measured rows
// (scripts/fit_wafer.py, docs/operators.md).
// Cost: O(1).
namespace waferloom {
namespace {

/// A block of C[m,n] gets `k` rank-one updates; vectors lie along m.
double local_product(const TileFabric& fabric, std::int64_t m, std::int64_t k, std::int64_t n) {
  const TileCycles& cycles = fabric.cycles;
  const double issues = as_double(parts_of(m, fabric.lanes));
  return as_double(k) * (cycles.update + as_double(n) * (cycles.vector + issues * cycles.issue));
}

/// The blocks of a tile.
struct Blocks {
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
};

/// Cannon and MeshGEMM: both operands move to a neighbour in every step, behind the local product.
MeshOperator shifted_gemm(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                          double hops_a_step) {
  const std::int64_t side = std::min(tiles.rows, tiles.columns);
  const Blocks block{parts_of(shape.m, side), parts_of(shape.k, side), parts_of(shape.n, side)};
  const TileCycles& cycles = fabric.cycles;
  const double steps = as_double(side);
  const double alignment = as_double(side / 2);
  const std::int64_t a_words = words_of(fabric, block.m * block.k);
  const std::int64_t b_words = words_of(fabric, block.k * block.n);
  const double moved = as_double(std::max(a_words, b_words));
  const double local = local_product(fabric, block.m, block.k, block.n);
  const double hidden = local + cycles.exchange_word * as_double(a_words);
  MeshOperator result;
  result.used = {side, side};
  // Both operands are exchanged in a step; in alignment only A moves.
  result.parts.start = cycles.start + (2 * steps + alignment) * cycles.exchange;
  result.parts.local = steps * local;
  result.parts.words = steps * (std::max(hidden, moved) - local);
  result.parts.hops = steps * hops_a_step * fabric.hop_cycles;
  result.words_per_link = (steps + alignment) * moved;
  result.bytes_per_tile =
      bytes_of(fabric, 2 * (block.m * block.k + block.k * block.n) + block.m * block.n);
  return result;
}

MeshOperator summa(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles) {
  const std::int64_t steps = std::max(tiles.rows, tiles.columns);
  const Blocks block{parts_of(shape.m, tiles.rows), parts_of(shape.k, steps),
                     parts_of(shape.n, tiles.columns)};
  const TileCycles& cycles = fabric.cycles;
  const std::int64_t a_words = words_of(fabric, block.m * block.k);
  const std::int64_t b_words = words_of(fabric, block.k * block.n);
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + 2 * as_double(steps) * cycles.phase;
  result.parts.local = as_double(steps) * local_product(fabric, block.m, block.k, block.n);
  // A step's blocks come before its product. Steps overlap: the root moves, so that only the first
  // one waits for the whole way.
  result.parts.words = as_double(steps) * as_double(a_words + b_words);
  result.parts.hops = as_double(std::max(tiles.rows, tiles.columns) - 1) * fabric.hop_cycles;
  result.words_per_link = as_double(steps) * as_double(std::max(a_words, b_words));
  const std::int64_t own = parts_of(steps, tiles.columns) * block.m * block.k +
                           parts_of(steps, tiles.rows) * block.k * block.n;
  result.bytes_per_tile =
      bytes_of(fabric, own + block.m * block.k + block.k * block.n + block.m * block.n);
  return result;
}

MeshOperator weight_stationary(const TileFabric& fabric, const GemmShape& shape,
                               const TileGrid& tiles) {
  const std::int64_t k = parts_of(shape.k, tiles.rows);
  const std::int64_t n = parts_of(shape.n, tiles.columns);
  const TileCycles& cycles = fabric.cycles;
  const double m = as_double(shape.m);
  const auto along_column = static_cast<double>(tiles.rows - 1);
  // Every row of A that comes in begins an update; vectors lie along n.
  const double issues = as_double(parts_of(n, fabric.lanes));
  const double local = m * (cycles.update + as_double(k) * (cycles.vector + issues * cycles.issue));
  const double words_in = m * as_double(words_of(fabric, k));
  const double words_out = m * as_double(words_of(fabric, n));
  const double sums = m * as_double(n) * cycles.chain_element;
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + 2 * cycles.phase + along_column * cycles.chain_stage;
  result.parts.local = local;
  result.parts.words = std::max({0.0, words_in - local, words_out - local}) + sums;
  result.parts.hops = as_double(tiles.columns - 1 + tiles.rows - 1) * fabric.hop_cycles;
  result.words_per_link = std::max(words_in, words_out);
  result.bytes_per_tile = bytes_of(fabric, k * n + 2 * k + 2 * n);
  return result;
}

}  // namespace

std::int64_t words_of(const TileFabric& fabric, std::int64_t elements) {
  return parts_of(elements * fabric.element_bytes, fabric.word_bytes);
}

MeshOperator mesh_gemm(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& tiles) {
  MeshOperator result;
  switch (algorithm) {
    case GemmAlgorithm::weight_stationary:
      result = weight_stationary(fabric, shape, tiles);
      result.colours = 2;
      break;
    case GemmAlgorithm::summa:
      result = summa(fabric, shape, tiles);
      result.colours = 4;  // two for each direction of a broadcast
      break;
    case GemmAlgorithm::cannon:
      // The block of the last tile goes back over the whole row.
      result =
          shifted_gemm(fabric, shape, tiles, as_double(std::min(tiles.rows, tiles.columns) - 1));
      result.colours = 4;
      break;
    case GemmAlgorithm::meshgemm:
      // The two hops of a step are within its exchange, as measured.
      result = shifted_gemm(fabric, shape, tiles, 0);
      result.colours = 6;  // three a ring
      break;
  }
  result.multiply_adds = as_double(shape.m) * as_double(shape.k) * as_double(shape.n);
  return result;
}

MeshOperator mesh_gemv(const TileFabric& fabric, std::int64_t m, std::int64_t n,
                       const TileGrid& tiles, std::int64_t groups) {
  const std::int64_t rows = parts_of(m, tiles.rows);
  const std::int64_t columns = parts_of(n, tiles.columns);
  const TileCycles& cycles = fabric.cycles;
  MeshOperator result;
  result.used = tiles;
  const double issues = as_double(parts_of(columns, fabric.lanes));
  result.parts.local = as_double(rows) * (cycles.vector + issues * cycles.issue);
  const double reduce = two_way_all_reduce_cycles(fabric, tiles.rows, columns, groups);
  const TwoWayChain chain = two_way_chain(tiles.rows, groups);
  result.parts.hops = tiles.rows > 1 ? as_double(chain.hops) * fabric.hop_cycles : 0;
  result.parts.words = tiles.rows > 1 ? as_double(columns) * cycles.chain_element : 0;
  result.parts.start = cycles.start + reduce - result.parts.hops - result.parts.words;
  result.words_per_link = 2 * as_double(words_of(fabric, columns));
  result.colours = 5;  // two a chain, one of the broadcast
  result.bytes_per_tile = bytes_of(fabric, rows * columns + rows + 2 * columns);
  result.multiply_adds = as_double(m) * as_double(n);
  return result;
}

MeshOperator mesh_shift(const TileFabric& fabric, std::int64_t elements, std::int64_t distance,
                        const TileGrid& tiles) {
  const TileCycles& cycles = fabric.cycles;
  const double words = as_double(words_of(fabric, elements));
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + as_double(distance) * cycles.relay;
  result.parts.words = as_double(distance) * words * cycles.relay_word;
  result.words_per_link = as_double(distance) * words;
  result.colours = 2;
  result.bytes_per_tile = bytes_of(fabric, 2 * elements);
  return result;
}

}  // namespace waferloom
