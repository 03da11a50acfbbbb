#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/tile_cycles.h"

namespace waferloom {

/// How C[M,N] = A[M,K] · B[K,N] is computed on a rectangle of tiles.
enum class GemmAlgorithm : std::uint8_t {
  weight_stationary,  ///< B stays, rows of A stream in, sums of partial results leave by columns
  summa,              ///< in each step a column's A and a row's B are broadcast
  cannon,             ///< on a square, blocks move to the next tile, the last to the first
  meshgemm,           ///< Cannon with rings folded on the line: neighbours are two hops apart
};
inline constexpr std::array<std::string_view, 4> kGemmAlgorithmNames{"weight-stationary", "summa",
                                                                     "cannon", "meshgemm"};

struct GemmShape {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
};

/// Rows and columns of tiles.
struct TileGrid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// Where the cycles of an operator go.
struct OperatorParts {
  double start = 0;  ///< beginning operators, phases and exchanges
  double local = 0;  ///< local products
  double words = 0;  ///< words that come and go while nothing is computed
  double hops = 0;   ///< ways through routers
  double total() const { return start + local + words + hops; }
};

/// What an operator costs on a rectangle of tiles.
struct MeshOperator {
  TileGrid used{};  ///< tiles that work: Cannon and MeshGEMM take the largest square
  OperatorParts parts{};
  double words_per_link = 0;        ///< on the busiest link
  std::int64_t colours = 0;         ///< that its routes take
  std::int64_t bytes_per_tile = 0;  ///< operands, blocks under way, result, program
  double multiply_adds = 0;         ///< that are wanted, of all tiles; padding not counted
  /// Share of the time in which the busiest link carries a word.
  double link_share() const { return words_per_link / parts.total(); }
};

/// A product of matrices. Extents that do not divide are padded to whole blocks. Sources: Cannon
/// (1969); SUMMA (van de Geijn and Watts 1997); MeshGEMM (WaferLLM, OSDI'25); the
/// weight-stationary form is ours. All extents ≥ 1. O(1).
MeshOperator mesh_gemm(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& tiles);

/// y[1,N] = x[1,M] · W[M,N], M over rows and N over columns; partial sums are added up and
/// broadcast along the columns by a two-way chain (mesh_collectives.h) in so many groups, 0: the
/// best number (MeshGEMV, WaferLLM). O(1).
MeshOperator mesh_gemv(const TileFabric& fabric, std::int64_t m, std::int64_t n,
                       const TileGrid& tiles, std::int64_t groups = 0);

/// Every tile's block of so many elements moves `distance` tiles on, each tile on the way taking it
/// in and handing it on. O(1).
MeshOperator mesh_shift(const TileFabric& fabric, std::int64_t elements, std::int64_t distance,
                        const TileGrid& tiles);

/// Words of so many elements, the last one padded.
std::int64_t words_of(const TileFabric& fabric, std::int64_t elements);

}  // namespace waferloom
