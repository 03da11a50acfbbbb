#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/mesh_layers.h"

namespace waferloom {

// Operators want their operand in one layout and leave their result in another. Which way of each
// operator is best depends on its neighbours: a chain of them is a shortest path over layouts. The
// matrix that goes through a chain has features as rows and tokens as columns: of `rows_down` the
// features lie over rows of tiles, of `down_copied` every tile of a row has all tokens of them.

/// A way to run an operator of a chain.
struct LayoutWay {
  MatrixLayout in = MatrixLayout::rows_down;
  MatrixLayout out = MatrixLayout::rows_down;
  MeshOperator cost{};
  std::string_view how{};  ///< an algorithm's name, or empty
  std::int64_t kept = 0;   ///< of the cost's bytes of a tile, those of weights and caches
};

/// What a chain keeps beside its operators.
enum class ChainRole : std::uint8_t {
  plain,
  branch,  ///< what it takes is kept for the next sum
  sum      ///< adds what the last branch took, in the layout of its own operand
};

struct ChainOperator {
  std::string_view name;
  std::int64_t features = 1;  ///< of what it takes
  std::int64_t steps = 1;     ///< of the program
  ChainRole role = ChainRole::plain;
  std::vector<LayoutWay> ways{};  ///< not empty
};

/// An operator of the best chain, and what its operands take to come into its layouts.
struct ChainStep {
  std::size_t way = 0;
  MeshOperator conversion{};  ///< of both operands; no cycles if they lie as they should
};

struct LayoutChain {
  MatrixLayout start = MatrixLayout::rows_down;  ///< and end: chains follow one another
  std::vector<ChainStep> steps;
  double cycles = 0;
};

/// The fastest ways of a chain's operators for so many tokens, the first layout the last's.
/// Conversions are operators of the program too, by mesh_convert. Exact, by dynamic programming
/// over the layouts of the operand and of what a branch keeps. Each operator needs a way.
/// O(operators · ways · layouts³).
LayoutChain best_layouts(const TileFabric& fabric, const std::vector<ChainOperator>& operators,
                         std::int64_t tokens, const TileGrid& tiles);

/// The same layout on a rectangle that is turned: rows for columns.
MatrixLayout flipped(MatrixLayout layout);

/// All ways of a product of so many tokens whose weights lie with their input features over rows of
/// tiles, output features over columns; `turned`: the other way round. Products whose sums go round
/// (all-reduce) take and leave copies, weight-stationary ones turn the layout, SUMMA keeps it.
/// Cannon and MeshGEMM are none of them: their weights lie skewed, on a square. O(√tiles).
std::vector<LayoutWay> product_ways(const TileFabric& fabric, std::int64_t tokens, std::int64_t in,
                                    std::int64_t out, const TileGrid& tiles, bool turned);

}  // namespace waferloom
