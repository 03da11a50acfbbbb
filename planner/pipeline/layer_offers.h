#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/mesh_operators.h"
#include "model/workload.h"
#include "planner/pipeline/product_offers.h"

namespace waferloom::planner {

/// Tokens of a block, and the budgets of its products.
struct BlockWay {
  std::int64_t tokens = 0;
  std::size_t budget = 0;
  std::size_t attention_budget = 0;  ///< of keys and values
};
using BlockOffers = Offers<BlockWay>;

/// Blocks of so many tokens are worth a trial: a sample, its half and so on.
std::vector<std::int64_t> token_blocks(std::int64_t tokens);

/// Bytes of a tile if elements lie evenly over all.
std::int64_t bytes_each(const TileFabric& fabric, double elements, const TileGrid& tiles);

/// All ways to work through a transformer's layer that have room.
BlockOffers layer_offers(const TileFabric& fabric, const TransformerOperator& at,
                         const TileGrid& tiles, std::int64_t room);

/// How its products are laid out then; the layer has room that way.
OperatorWay layer_way(const TileFabric& fabric, const TransformerOperator& at, const BlockWay& way,
                      const TileGrid& tiles, std::int64_t room);

}  // namespace waferloom::planner
