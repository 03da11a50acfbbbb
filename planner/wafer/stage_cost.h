#pragma once

#include <array>
#include <cstdint>
#include <limits>

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

/// Elements of a sample that an operator hands on. Of a head: a token's largest logit's number.
std::int64_t output_elements(const OperatorKind& kind);

/// Bytes of all weights, in numbers of `element_bytes`.
double weight_bytes(const OperatorKind& kind, std::int64_t element_bytes);

}  // namespace waferloom::planner
