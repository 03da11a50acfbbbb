#include <algorithm>
#include <cmath>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_operators.h"
#include "kernels/tile_parts.h"

// Problem: tell what products of matrices and vectors cost on a rectangle of tiles, in closed form.
// Idea: a product is a number of steps. In a step a tile multiplies its blocks and exchanges them
// with others. Local products are rank-one updates: a start, a vector operation for each column,
// and an issue for as many multiply-adds as a tile does at once.
// Source: the algorithms as in mesh_operators.h. Their cycles are fitted on measured rows
// (scripts/fit_wafer.py, docs/operators.md).
// Cost: O(1).
namespace waferloom {
namespace {

/// Ways of the blocks of a ring from tile to tile, and the longest of them.
struct RingWays {
  double usual = 0;
  double longest = 0;
};

/// Cannon and MeshGEMM: both operands move to a neighbour in every step, behind the local product.
/// Before, A is aligned by half the side of such moves. A ring's one long way delays a block once
/// in a round, not in every step.
MeshOperator shifted_gemm(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                          const RingWays& ways, Alignment aligned) {
  const std::int64_t side = std::min(tiles.rows, tiles.columns);
  const GemmShape block{parts_of(shape.m, side), parts_of(shape.k, side), parts_of(shape.n, side)};
  const TileCycles& cycles = fabric.cycles;
  const double steps = as_double(side);
  const double alignment = aligned == Alignment::done ? 0 : as_double(side / 2);
  const double a_words = as_double(words_of(fabric, block.m * block.k));
  const double b_words = as_double(words_of(fabric, block.k * block.n));
  const double local = product_cycles(fabric, block);
  MeshOperator result;
  result.used = {side, side};
  // Both operands are exchanged in a step; in alignment only A moves.
  result.parts.start = cycles.start + (2 * steps + alignment) * cycles.exchange;
  result.parts.local = steps * local;
  if (side > 1) {
    // Both come by links of their own, but through one ramp.
    const double moved = a_words + b_words;
    const double hidden = std::max(0.0, moved + ways.longest - local);
    const double bare = steps * (moved + ways.usual - local) + ways.longest - ways.usual;
    result.parts.words = std::max(hidden, bare) + alignment * a_words;
    result.parts.hops = alignment * ways.usual + ways.longest - ways.usual;
  }
  result.words_per_link = std::max((steps + alignment) * a_words, steps * b_words);
  result.bytes_per_tile =
      bytes_of(fabric, 2 * (block.m * block.k + block.k * block.n) + block.m * block.n);
  return result;
}

/// In a step both broadcasts are one phase, for they go along rows and along columns at once.
/// `ahead`: those of the next step run behind the product, so that its words count where they take
/// longer, and those of the first.
MeshOperator summa(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                   bool ahead) {
  const std::int64_t steps = std::max(tiles.rows, tiles.columns);
  const GemmShape block{parts_of(shape.m, tiles.rows), parts_of(shape.k, steps),
                        parts_of(shape.n, tiles.columns)};
  const TileCycles& cycles = fabric.cycles;
  const std::int64_t a_words = words_of(fabric, block.m * block.k);
  const std::int64_t b_words = words_of(fabric, block.k * block.n);
  const double local = product_cycles(fabric, block);
  const auto moved = as_double(a_words + b_words);
  const double hop = fabric.hop_cycles;
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + as_double(steps) * cycles.phase;
  result.parts.local = as_double(steps) * local;
  // A step's blocks come through one ramp. Steps overlap: a tile goes on when it has its own
  // blocks. Owners of the next step wait for those of the last, whose rows and columns are next to
  // theirs; over many steps that adds up to four hops each (counted by moving the words,
  // sim/wafer_runs.h). So a step's cost does not grow with the side.
  if (ahead) {
    // Two steps are under way, so that an owner waits for the one before the last.
    const double loop = (8 * hop + fabric.way(0) + moved + local) / 2;
    const double step = std::max({local, moved, loop});
    const double left = as_double(std::max<std::int64_t>(steps - 2, 0)) * (step - local);
    result.parts.words = moved + std::min(left, as_double(steps) * std::max(0.0, moved - local));
    result.parts.hops = fabric.way(0) + moved + left - result.parts.words;
  } else {
    result.parts.words = as_double(steps) * moved;
    result.parts.hops =
        as_double(steps) * fabric.way(0) + as_double(std::max(2 * steps - 1, 4 * steps - 8)) * hop;
  }
  result.words_per_link = as_double(steps) * as_double(std::max(a_words, b_words));
  const std::int64_t own = parts_of(steps, tiles.columns) * block.m * block.k +
                           parts_of(steps, tiles.rows) * block.k * block.n;
  const std::int64_t buffers = (ahead ? 2 : 1) * (block.m * block.k + block.k * block.n);
  result.bytes_per_tile = bytes_of(fabric, own + buffers + block.m * block.n);
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
  const double issues = fabric.issues_of(n);
  const double local = m * (cycles.update + as_double(k) * (cycles.vector + issues * cycles.issue));
  const double row_words = as_double(words_of(fabric, k));
  const double sum_words = as_double(words_of(fabric, n));
  // A tile's ramp takes in a part of a row of A, and the sums of the tile above.
  const double taken_in = row_words + (tiles.rows > 1 ? sum_words : 0);
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + 2 * cycles.phase +
                       along_column * (cycles.chain_stage + 2 * fabric.ramp_cycles + 1);
  result.parts.local = local;
  // The first row of A fills the tiles, the last sums leave them.
  result.parts.words = std::max(0.0, m * taken_in - local) + taken_in;
  result.parts.hops = fabric.way(as_double(tiles.columns - 1)) + along_column * fabric.hop_cycles;
  result.words_per_link = m * std::max(row_words, sum_words);
  result.bytes_per_tile = bytes_of(fabric, k * n + 2 * k + 2 * n);
  return result;
}

/// Few rows of A: B lies as for a product with a vector, all rows' sums go round together.
MeshOperator reduced_gemm(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                          std::int64_t groups) {
  const std::int64_t k = parts_of(shape.k, tiles.rows);
  const std::int64_t n = parts_of(shape.n, tiles.columns);
  MeshOperator result =
      mesh_all_reduce(fabric, shape.m * n, {.tiles = tiles.rows, .groups = groups});
  result.used = tiles;
  result.parts.start = std::max(result.parts.start, fabric.cycles.start);
  result.parts.local = vector_cycles(shape.m * k, fabric, n);
  result.bytes_per_tile = bytes_of(fabric, k * n + shape.m * (k + 2 * n));
  result.multiply_adds = as_double(shape.m) * as_double(shape.k) * as_double(shape.n);
  return result;
}

}  // namespace

std::int64_t words_of(const TileFabric& fabric, std::int64_t elements) {
  const std::int64_t words = parts_of(elements * fabric.element_bytes, fabric.word_bytes);
  if (fabric.word_cycles == 1) return words;
  constexpr double kMost = 4e18;  // more cycles than anything waits
  return static_cast<std::int64_t>(
      std::min(kMost, std::ceil(as_double(words) * fabric.word_cycles)));
}

MeshOperator mesh_gemm(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& tiles, Alignment alignment) {
  MeshOperator result;
  switch (algorithm) {
    case GemmAlgorithm::weight_stationary:
      result = weight_stationary(fabric, shape, tiles);
      result.colours = 2;
      break;
    case GemmAlgorithm::summa:
      result = summa(fabric.of(TileProgram::collectives_2d), shape, tiles, false);
      result.colours = 4;  // two for each direction of a broadcast
      break;
    case GemmAlgorithm::pipelined_summa:
      result = summa(fabric.of(TileProgram::summa_4colour), shape, tiles, true);
      result.colours = 8;  // in turn, so that two steps may be under way
      break;
    case GemmAlgorithm::cannon:
      // The block of the last tile goes back over the whole row.
      result = shifted_gemm(
          fabric, shape, tiles,
          {fabric.way(1), fabric.way(as_double(std::min(tiles.rows, tiles.columns) - 1))},
          alignment);
      result.colours = 4;
      break;
    case GemmAlgorithm::meshgemm:
      result = shifted_gemm(fabric, shape, tiles, {fabric.way(2), fabric.way(2)}, alignment);
      result.colours = 6;  // three a ring
      break;
    case GemmAlgorithm::all_reduce:
      result = reduced_gemm(fabric, shape, tiles, 0);
      break;
  }
  result.multiply_adds = as_double(shape.m) * as_double(shape.k) * as_double(shape.n);
  return result;
}

MeshOperator mesh_scores(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles) {
  const std::int64_t side = std::min(tiles.rows, tiles.columns);
  const GemmShape block{parts_of(shape.m, side), parts_of(shape.k, side), parts_of(shape.n, side)};
  const TileCycles& cycles = fabric.cycles;
  const double steps = as_double(side);
  const double local = product_cycles(fabric, block);
  const double keys = as_double(words_of(fabric, block.n * block.k));
  const double sums = as_double(words_of(fabric, block.m * block.n));
  MeshOperator result;
  result.used = {side, side};
  result.parts.start = cycles.start + steps * cycles.exchange;
  result.parts.local = steps * local;
  if (side > 1) {
    result.parts.start += steps * (cycles.phase + sums * cycles.reduced_word);
    // Keys come behind the product. Sums stream behind it, in and out by the ramp's two ways, and
    // the last of them along the row.
    result.parts.words = steps * (sums + std::max(0.0, keys + fabric.way(2) - local));
    result.parts.hops = as_double(side - 1) * (fabric.way(1) + 1);
  }
  result.words_per_link = steps * std::max(keys, sums);
  result.colours = 6;  // three of a ring, two chains, those that go to the next root
  result.bytes_per_tile =
      bytes_of(fabric, block.m * block.k + 2 * block.k * block.n +
                           block.m * parts_of(shape.n, side) + block.m * block.n);
  result.multiply_adds = as_double(shape.m) * as_double(shape.k) * as_double(shape.n);
  return result;
}

MeshOperator mesh_gemv(const TileFabric& fabric, const MatrixShape& matrix, const TileGrid& tiles,
                       std::int64_t groups) {
  return reduced_gemm(fabric, {1, matrix.rows, matrix.columns}, tiles, groups);
}

MeshOperator mesh_library_gemv(const TileFabric& tiles_of, const MatrixShape& matrix,
                               const TileGrid& tiles) {
  constexpr std::int64_t kSumBytes = 4;
  TileFabric fabric = tiles_of.of(TileProgram::collectives_2d);
  const TileCycles& cycles = fabric.cycles;
  const std::int64_t rows = parts_of(matrix.rows, tiles.rows);
  const std::int64_t columns = parts_of(matrix.columns, tiles.columns);
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start;
  result.parts.local = vector_cycles(rows, fabric, columns);
  result.bytes_per_tile = bytes_of(fabric, rows * columns + rows) + 2 * kSumBytes * columns;
  result.multiply_adds = as_double(matrix.rows) * as_double(matrix.columns);
  result.colours = 3;  // two of a chain, one of the broadcast
  if (tiles.rows < 2) return result;
  fabric.element_bytes = kSumBytes;
  const double words = as_double(words_of(fabric, columns));
  const double stages = as_double(tiles.rows - 1);
  const double adding = 2 * fabric.ramp_cycles + 1;
  result.parts.start += 2 * cycles.phase + stages * (cycles.chain_stage + adding) + adding +
                        words * cycles.reduced_word;
  result.parts.words = 2 * words;
  result.parts.hops = 2 * stages * fabric.hop_cycles;
  result.words_per_link = 2 * words;
  return result;
}

MeshOperator mesh_few_rows(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                           std::int64_t groups) {
  return reduced_gemm(fabric, shape, tiles, groups);
}

MeshOperator mesh_shift(const TileFabric& tiles_of, std::int64_t elements, const TileGrid& tiles,
                        std::int64_t distance) {
  const TileFabric fabric = tiles_of.of(TileProgram::relay);
  const TileCycles& cycles = fabric.cycles;
  const double words = as_double(words_of(fabric, elements));
  MeshOperator result;
  result.used = tiles;
  result.parts.start = cycles.start + as_double(distance) * cycles.relay;
  result.parts.words = as_double(distance) * words * (1 + cycles.relay_word);
  result.parts.hops = as_double(distance) * fabric.way(1);
  result.words_per_link = as_double(distance) * words;
  result.colours = 2;
  result.bytes_per_tile = bytes_of(fabric, 2 * elements);
  return result;
}

}  // namespace waferloom
