#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernels/tile_cycles.h"

namespace waferloom {

/// How C[M,N] = A[M,K] · B[K,N] is computed on a rectangle of tiles.
enum class GemmAlgorithm : std::uint8_t {
  weight_stationary,  ///< B stays, rows of A stream in, sums of partial results leave by columns
  summa,              ///< in each step a column's A and a row's B are broadcast, then multiplied
  pipelined_summa,    ///< likewise, the next step's broadcasts behind the product
  cannon,             ///< on a square, blocks move to the next tile, the last to the first
  meshgemm,           ///< Cannon with rings folded on the line: neighbours are two hops apart
  all_reduce,         ///< as mesh_gemv, for few rows of A: sums of all rows go round together
};
inline constexpr std::array<std::string_view, 6> kGemmAlgorithmNames{
    "weight-stationary", "summa", "pipelined-summa", "cannon", "meshgemm", "all-reduce"};
constexpr std::span<const std::string_view> words_of(GemmAlgorithm /*of*/) {
  return kGemmAlgorithmNames;
}

/// Whether Cannon and MeshGEMM have to align the rows of A before their first step.
enum class Alignment : std::uint8_t {
  needed,
  done  ///< by the product before it, which has the same A
};

struct GemmShape {
  std::int64_t m = 1;
  std::int64_t k = 1;
  std::int64_t n = 1;
};

/// A matrix of so many numbers by so many.
struct MatrixShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// What is done to each of so many numbers.
struct ElementWork {
  std::int64_t elements = 1;
  std::int64_t operations = 1;  ///< one after another
};

/// Rows and columns of tiles.
struct TileGrid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// Tiles in a line, in groups of a two-way chain.
struct TileLine {
  std::int64_t tiles = 1;
  std::int64_t groups = 0;  ///< 0: the number with the least stages
};

/// Where the cycles of an operator go.
struct OperatorParts {
  double start = 0;  ///< beginning operators, phases and exchanges
  double local = 0;  ///< local products
  double words = 0;  ///< words that come and go while nothing is computed
  double hops = 0;   ///< ways through routers
  double total() const { return start + local + words + hops; }
  OperatorParts& operator+=(const OperatorParts& other);
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
  double link_share() const { return words_per_link > 0 ? words_per_link / parts.total() : 0; }
  /// Adds an operator that comes after those so far: its words join theirs on the links, and memory
  /// is that of the one that needs most.
  void follow(const MeshOperator& next);
};

/// A product of matrices. Extents that do not divide are padded to whole blocks. Sources: Cannon
/// (1969); SUMMA (van de Geijn and Watts 1997); MeshGEMM (WaferLLM, OSDI'25); the
/// weight-stationary form is ours. Both forms of SUMMA have the figures of their own programs, the
/// others those of the program that runs. All extents ≥ 1. O(1).
MeshOperator mesh_gemm(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& tiles, Alignment alignment = Alignment::needed);

/// Scores of a prompt, S[M,N] = Q[M,K] · K[N,K]ᵀ, as WaferLLM's prefill has them on a P×P square:
/// in each of P steps the blocks of K move on along the columns, every tile multiplies, and the
/// products are added up along the rows, to a tile that moves on from step to step. O(1).
MeshOperator mesh_scores(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles);

/// y[1,N] = x[1,M] · W[M,N], M over rows and N over columns; partial sums are added up and
/// broadcast along the columns by a two-way chain (mesh_collectives.h) in `groups` groups; 0: the
/// best number, which takes O(√tiles) to find, else O(1). Source: MeshGEMV of WaferLLM.
MeshOperator mesh_gemv(const TileFabric& fabric, const MatrixShape& matrix, const TileGrid& tiles,
                       std::int64_t groups = 0);

/// The same for a few rows x at once, C[M,N] = A[M,K] · B[K,N]: mesh_gemm's all_reduce with a
/// number of groups.
MeshOperator mesh_few_rows(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles,
                           std::int64_t groups = 0);

/// The same product with a vector by the vendor's library of collectives: sums of 32 bits come
/// along a chain of the whole column to its first tile, and go back by a broadcast. O(1).
MeshOperator mesh_library_gemv(const TileFabric& fabric, const MatrixShape& matrix,
                               const TileGrid& tiles);

/// Every tile's block of so many elements moves `distance` tiles on, each tile on the way taking it
/// in and handing it on. O(1).
MeshOperator mesh_shift(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles,
                        std::int64_t distance);

/// An all-reduce of so many elements along every line, as mesh_gemv has it, as an operator of its
/// own. One tile does nothing. O(1) with a number of groups.
MeshOperator mesh_all_reduce(const TileFabric& fabric, std::int64_t elements, const TileLine& line);

/// Operations on elements spread evenly over all tiles.
MeshOperator mesh_element_wise(const TileFabric& fabric, const ElementWork& work,
                               const TileGrid& tiles);

/// An activation of so many numbers on each tile, x · sigmoid(x): an exponential each, a sum and a
/// product; gated, times as many others.
MeshOperator mesh_activation(const TileFabric& fabric, std::int64_t own, bool gated);

/// An operator behind others in a program of many, which goes on by so many steps.
void follow_in_program(MeshOperator& whole, const TileFabric& fabric, const MeshOperator& next,
                       std::int64_t steps);

/// A normalisation of tokens × features, tokens over columns of tiles, features over rows: squares,
/// a sum of one number a token along each column, and scaling.
MeshOperator mesh_norm(const TileFabric& fabric, const MatrixShape& matrix, const TileGrid& tiles,
                       std::int64_t groups = 0);

/// Softmax of rows of numbers: rows over columns of tiles, numbers over rows of tiles. The largest
/// and the sum are all-reduced along columns; largest, exponentials and scaling take an operation
/// each.
MeshOperator mesh_softmax(const TileFabric& fabric, const MatrixShape& matrix,
                          const TileGrid& tiles, std::int64_t groups = 0);

/// The block of tile (i, j) goes to tile (j, i), of a matrix: what it costs to
/// change which dimension lies along rows. On the largest square; rows first, then columns, so that
/// the last row's links carry the blocks of all its tiles.
MeshOperator mesh_transpose(const TileFabric& fabric, const MatrixShape& matrix,
                            const TileGrid& tiles);

/// Attention of one new token to the tokens in the cache.
struct DecodeAttention {
  std::int64_t tokens = 1;     ///< in the cache
  std::int64_t heads = 1;      ///< of queries
  std::int64_t head_size = 1;  ///< features of a head
  std::int64_t samples = 1;    ///< that decode a token each at once, each with its own cache
  std::int64_t window = 0;     ///< tokens of a prompt that each looks back on; 0: all
};
/// Tokens lie over rows of tiles, features over columns. Scores are summed along the columns' tiles
/// of a head, softmax and the weighted values along rows (WaferLLM, decode). Keys and values count
/// in a tile's bytes, each `kv_heads` wide.
MeshOperator mesh_decode_attention(const TileFabric& fabric, const DecodeAttention& attention,
                                   std::int64_t kv_heads, const TileGrid& tiles,
                                   std::int64_t groups = 0);

/// A block of a transformer, decoding one token.
struct DecodeBlock {
  DecodeAttention attention{};
  std::int64_t hidden = 1;
  std::int64_t kv_heads = 1;
  std::int64_t feed_forward = 1;
  bool gated = true;           ///< two products into the feed-forward network in place of one
  std::int64_t activated = 0;  ///< features that the activation works on; 0: all of feed_forward
  /// Of a block whose layouts are chosen (laid_blocks.h): those behind the two before attention and
  /// the feed-forward network are behind them (Gemma 2 has 4). WaferLLM's programs have two.
  std::int64_t norms = 2;
};
/// One of its operators, and the steps of the program that it takes.
struct BlockOperator {
  std::string_view name;
  MeshOperator cost{};
  std::int64_t steps = 1;
};
/// In their order: norm, queries, keys and values, attention, output, sum, norm, feed-forward in,
/// gate, feed-forward out, sum.
std::array<BlockOperator, 10> decode_block_operators(const TileFabric& fabric,
                                                     const DecodeBlock& block,
                                                     const TileGrid& tiles,
                                                     std::int64_t groups = 0);

struct DecodeBlockCost {
  MeshOperator whole{};      ///< all operators together
  double communication = 0;  ///< cycles of all-reduces and of their starts
};
/// Two norms, products of queries, keys and values, attention, its output, two products into the
/// feed-forward network and one out, each with its all-reduce, in turn along rows and columns
/// (WaferLLM, decode: ten all-reduces). O(1) with `groups`.
DecodeBlockCost mesh_decode_block(const TileFabric& fabric, const DecodeBlock& block,
                                  const TileGrid& tiles, std::int64_t groups = 0);

/// Words of so many elements, the last one padded; as cycles of the link that takes longest for
/// them.
std::int64_t words_of(const TileFabric& fabric, std::int64_t elements);

}  // namespace waferloom
