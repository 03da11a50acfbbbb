#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/mesh_operators.h"

namespace waferloom {

/// How a matrix lies on a rectangle of tiles: the state that operators take and leave.
enum class MatrixLayout : std::uint8_t {
  rows_down,     ///< its rows over rows of tiles, its columns over columns
  rows_across,   ///< turned: its rows over columns of tiles
  down_copied,   ///< its rows over rows of tiles, all columns on each tile of a row
  across_copied  ///< its rows over columns of tiles, all columns on each tile of a column
};
inline constexpr std::array<std::string_view, 4> kMatrixLayoutNames{"rows-down", "rows-across",
                                                                    "down-copied", "across-copied"};
constexpr std::span<const std::string_view> words_of(MatrixLayout /*of*/) {
  return kMatrixLayoutNames;
}

/// A matrix of features x tokens from one layout to another: turned by mesh_transpose, copied by a
/// chain of broadcasts along the side over which the columns lay, and taken from copies without
/// moving a word. O(1).
MeshOperator mesh_convert(const TileFabric& fabric, MatrixLayout from, MatrixLayout to,
                          const MatrixShape& matrix, const TileGrid& tiles);

/// The fastest algorithm of mesh_gemm for a shape.
MeshOperator fastest_gemm(const TileFabric& fabric, const GemmShape& shape, const TileGrid& tiles);

/// The two products of a GEMM's backward pass, dA = dC · Bᵀ and dB = Aᵀ · dC, each by the algorithm
/// of the forward product, and A and B turned before.
MeshOperator mesh_gemm_backward(const TileFabric& fabric, GemmAlgorithm algorithm,
                                const GemmShape& shape, const TileGrid& tiles);

/// A convolution as a product: each output position is a row of in_channels · kernel² numbers. Rows
/// stream in, so that overlaps of windows are read again, not kept.
struct MeshConvolution {
  std::int64_t positions = 1;  ///< of the output, of all samples together
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel = 1;  ///< a side of the window
};
GemmShape product_of(const MeshConvolution& convolution);

/// So many elements, even over the tiles, each go to any other tile. Half of all cross the cut
/// through the middle, in either direction half of those; the cut is along the shorter side.
MeshOperator mesh_exchange(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles);

/// A part of the rectangle for each of `count`, as square as parts can be. With more of them than
/// tiles, a part has one tile, and they take turns.
TileGrid equal_part(const TileGrid& tiles, std::int64_t count);

/// Attention of a whole prompt. Every head has a part of the rectangle to itself, as square as
/// parts can be: scores by mesh_gemm, softmax, values by mesh_gemm. Nothing is saved on the half
/// that a causal mask leaves out. With a window the prompt is cut into blocks as long as that, each
/// of which looks on itself and the block before; blocks are side by side as heads are. Keys and
/// values count in a tile's bytes, `kv_heads` wide.
MeshOperator mesh_prefill_attention(const TileFabric& fabric, const DecodeAttention& attention,
                                    std::int64_t kv_heads, GemmAlgorithm algorithm,
                                    const TileGrid& tiles);

/// A transformer's block that works on all tokens of a prompt.
struct PrefillBlock {
  DecodeAttention attention{};  ///< `tokens` of the prompt
  std::int64_t hidden = 1;
  std::int64_t kv_heads = 1;
  std::int64_t feed_forward = 1;
  bool gated = true;
  /// Queries, keys and values are one product, and so are those into the feed-forward network.
  bool joined = true;
  std::int64_t norms = 2;  ///< as of DecodeBlock
};
/// Tokens lie over rows of tiles, features over columns. A norm, products of queries, keys and
/// values, attention, its output, a norm, products into the feed-forward network, the activation,
/// and the product out (WaferLLM, prefill). A product gives its result as the next one
/// takes it. Heads get parts of the rectangle of their own, to which queries, keys and values move
/// over the links that cut the rectangle in half, and the values back; a single head has the whole
/// rectangle and moves nothing. Products go by `algorithm`. `bytes_per_tile` counts all weights and
/// the largest operator's blocks. O(1) and a few all-reduces.
MeshOperator mesh_prefill_block(const TileFabric& fabric, const PrefillBlock& block,
                                GemmAlgorithm algorithm, const TileGrid& tiles);

/// Rotary positions of tokens × features: two products and a sum for each number; pairs lie on one
/// tile.
MeshOperator mesh_rotary(const TileFabric& fabric, const MatrixShape& matrix,
                         const TileGrid& tiles);

/// Tokens of a language model, and the table that they are looked up in or compared with.
struct VocabularyWork {
  std::int64_t tokens = 1;
  std::int64_t vocabulary = 1;
  std::int64_t features = 1;
};

/// Rows of a table of vocabulary × features, vocabulary over rows of tiles, features over columns:
/// each token's row is broadcast along its columns.
MeshOperator mesh_embedding(const TileFabric& fabric, const VocabularyWork& work,
                            const TileGrid& tiles);

/// The head: tokens × features times features × vocabulary, and the largest number of each token
/// along the rows of tiles.
MeshOperator mesh_head(const TileFabric& fabric, const VocabularyWork& work, const TileGrid& tiles);

/// Experts side by side, each with a part of the rectangle as square as parts can be.
struct MeshExperts {
  std::int64_t tokens = 1;
  std::int64_t experts = 1;
  std::int64_t chosen = 1;  ///< experts that a token goes to
  std::int64_t hidden = 1;
  std::int64_t feed_forward = 1;  ///< of an expert: gated, two products in, one out
};
/// Tokens go to their experts and back, over the links that cut the rectangle in half; then the
/// products of the fullest expert. `load` times the even share of tokens goes to it, ≥ 1.
MeshOperator mesh_experts(const TileFabric& fabric, const MeshExperts& experts, double load,
                          GemmAlgorithm algorithm, const TileGrid& tiles);

}  // namespace waferloom
