#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/mesh_layers.h"
#include "kernels/mesh_operators.h"
#include "kernels/tile_cycles.h"

namespace waferloom {

// A transformer's block each of whose operators takes the way, and the layouts before and behind
// it, with which the whole block is fastest (layout_chain.h). Weights and caches lie the same in
// all of them: input features over rows of tiles, but of the products out of attention and out of
// the feed-forward network over columns; tokens of the caches over rows. So prefill and decode may
// share them.

/// An operator of such a block.
struct LaidOperator {
  std::string_view name;
  std::string_view how;  ///< a product's algorithm, or empty
  MatrixLayout in = MatrixLayout::rows_down;
  MatrixLayout out = MatrixLayout::rows_down;
  OperatorParts parts{};  ///< steps of the program and conversions included
  double conversion = 0;  ///< of that, cycles to bring its operands into its layouts
};

struct LaidBlock {
  MatrixLayout start = MatrixLayout::rows_down;  ///< of what goes in, and of what comes out
  std::vector<LaidOperator> operators;
  OperatorParts parts{};  ///< of all
  /// Bytes of a tile beside weights, caches and the program: of all operators together, and of the
  /// largest operator or conversion; both with what is kept for the sums.
  std::int64_t vectors = 0;
  std::int64_t largest = 0;
};

/// A block that decodes a token of each of some samples. Ways that take more than `room` bytes of a
/// tile, beside weights and caches, are left out where there are others. O(√tiles).
LaidBlock laid_decode_block(const TileFabric& fabric, const DecodeBlock& block,
                            const TileGrid& tiles, std::int64_t room);

/// Cycles that laid_decode_block takes at least, with any room: each operator's fastest way, and no
/// conversions. A third of its time. O(√tiles).
double least_decode_cycles(const TileFabric& fabric, const DecodeBlock& block,
                           const TileGrid& tiles);

/// A block that works on a prompt; products of one operand are joined. Every head has a part of the
/// rectangle, as mesh_prefill_attention has it; queries, keys and values come there from any
/// layout, and go back to any. O(√tiles).
LaidBlock laid_prefill_block(const TileFabric& fabric, const PrefillBlock& block,
                             const TileGrid& tiles, std::int64_t room);

}  // namespace waferloom
