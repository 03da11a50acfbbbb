#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/workload.h"

namespace waferloom::planner {

/// What an operator takes on a rectangle of tiles for a sample, its weights staying on the tiles.
struct OperatorCost {
  double cycles = std::numeric_limits<double>::infinity();
  std::int64_t weights = 0;  ///< bytes of a tile, of all copies
  std::int64_t scratch = 0;  ///< bytes of a tile, of blocks under way, beside input and output
  bool is_possible() const { return cycles < std::numeric_limits<double>::infinity(); }
};

/// Copies of weights make operators faster and take memory. An operator has a cost for each budget:
/// a share of a tile's memory that its weights may take. The last is the fastest of those that take
/// at most a tenth more memory than the least.
inline constexpr std::array<double, 6> kWeightBudgets{1, 0.5, 0.25, 0.125, 0.0625, 0};
using OperatorCosts = std::array<OperatorCost, kWeightBudgets.size()>;

/// The fastest way within each budget. `room`: bytes of a tile without its program; a cost that
/// does not fit it is not possible. Products go by the fastest algorithm of mesh_gemm, in either
/// orientation, on one copy of the weights or several, each for a part of the rows. Transformers
/// and heads go through a sample in blocks of tokens, whose number is chosen. O(1) beside the
/// few hundred cuts that are tried.
OperatorCosts operator_costs(const TileFabric& fabric, const OperatorKind& kind,
                             const TileGrid& tiles, std::int64_t room);

/// How a product is laid out: copies of the weights, each on a part of the rectangle, share its
/// rows.
struct ProductWay {
  std::string_view name{};  ///< "product", or what it is in a layer: "scores"
  GemmShape shape{};        ///< of a block of tokens
  GemmAlgorithm algorithm = GemmAlgorithm::weight_stationary;
  TileGrid within{};       ///< where copies lie: the rectangle, or a head's part of it
  TileGrid part{};         ///< of a copy, as the algorithm sees it
  std::int64_t rows = 1;   ///< of a copy
  std::int64_t turns = 1;  ///< heads that one part does one after another
};
/// What operator_costs chose for a budget (where that has none, for the last).
struct OperatorWay {
  std::int64_t tokens = 0;  ///< of a block; 0 where a sample is worked on as a whole
  std::vector<ProductWay> products{};
};
OperatorWay operator_way(const TileFabric& fabric, const OperatorKind& kind, const TileGrid& tiles,
                         std::int64_t room, std::size_t budget);

/// Elements of a sample that an operator hands on. Of a head: a token's largest logit's number.
std::int64_t output_elements(const OperatorKind& kind);

/// Bytes of all weights.
double weight_bytes(const TileFabric& fabric, const OperatorKind& kind);
/// In training, with a gradient of each and so many bytes of a parameter that the optimizer keeps.
double trained_bytes(const OperatorKind& kind, double weight_bytes, std::int64_t state_bytes);

}  // namespace waferloom::planner
