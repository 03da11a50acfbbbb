#include "planner/pipeline/layer_offers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "kernels/mesh_layers.h"

// Problem: tell what a transformer's layer takes on a rectangle of tiles for a whole sample.
// Idea: its weights and its keys and values stay, and the sample goes through in blocks of tokens,
// so that what is wide inside is there for a block alone: scores, and the feed-forward network.
// The queries of all heads that share keys are rows of one product. Each of the six products is
// laid out within a budget of memory; blocks and budgets are tried in all combinations, at the
// price of a few sums, since products are priced once for all budgets of a block. Norms, softmax,
// rotary positions, activation and sums come after one another, as do blocks.
// Source: ours, of the closed forms in kernels/mesh_layers.h.
// Cost: nine blocks of six products.
namespace waferloom::planner {
namespace {

void add_cost(OperatorCost& whole, const OperatorCost& next) {
  whole.cycles += next.cycles;
  whole.weights += next.weights;
  whole.scratch = std::max(whole.scratch, next.scratch);
}

OperatorCost price_of(const MeshOperator& found) { return {found.parts.total(), 0, 0}; }

/// A product of a layer, and what it has room on.
struct LayerProduct {
  std::string_view name;
  GemmShape shape;
  TileGrid tiles;
  std::int64_t room;
  std::size_t budget;
  std::int64_t turns = 1;
  ProductOffers offers(const TileFabric& fabric) const {
    return product_offers(fabric, plain_product(shape.m, shape.k, shape.n), tiles, room);
  }
  OperatorCosts costs(const TileFabric& fabric) const {
    return product_costs(fabric, plain_product(shape.m, shape.k, shape.n), tiles, room);
  }
};

OperatorCost within_budget(const OperatorCosts& costs, std::size_t budget) {
  return costs[budget].is_possible() ? costs[budget] : costs.back();
}

/// Tokens that one of a block's looks on: of a window, those before the block's first one as well.
std::int64_t tokens_looked_on(const TransformerOperator& layer, const BlockWay& way) {
  if (layer.attention_window == 0) return layer.sequence;
  return std::min(layer.sequence, way.tokens + layer.attention_window);
}

/// Products of attention, of a block of tokens to all that it looks on. A part of the rectangle for
/// each head of keys and values; those without a part take turns. Keys and values stay.
std::array<LayerProduct, 2> attention_products(const TransformerOperator& layer,
                                               const BlockWay& way, const TileGrid& tiles,
                                               std::int64_t room) {
  const std::int64_t heads = layer.key_value_heads;
  const std::int64_t size = layer.features_of_head();
  const std::int64_t queries = way.tokens * (layer.heads / heads);
  const TileGrid part = equal_part(tiles, heads);
  const std::int64_t beside =
      std::min(heads, (tiles.rows / part.rows) * (tiles.columns / part.columns));
  const std::int64_t turns = parts_of(heads, beside);
  const std::size_t budget = way.attention_budget;
  const std::int64_t seen = tokens_looked_on(layer, way);
  return {{{"scores", {queries, size, seen}, part, room, budget, turns},
           {"values", {queries, seen, size}, part, room, budget, turns}}};
}

/// What a layer's products take for a block, by budget.
struct LayerCosts {
  std::array<OperatorCosts, 4> weights;
  std::array<OperatorCosts, 2> attention;
};

OperatorCost attention_cost(const TileFabric& fabric, const TransformerOperator& layer,
                            const BlockWay& way, const TileGrid& tiles, std::int64_t room,
                            const LayerCosts& costs) {
  const auto products = attention_products(layer, way, tiles, room);
  const OperatorCost scores = within_budget(costs.attention[0], way.attention_budget);
  const OperatorCost values = within_budget(costs.attention[1], way.attention_budget);
  OperatorCost cost;
  if (!scores.is_possible() || !values.is_possible()) return cost;
  const TileGrid& part = products[0].tiles;
  const std::int64_t queries = products[0].shape.m;
  const std::int64_t turns = products[0].turns;
  const std::int64_t seen = products[0].shape.n;
  const MeshOperator softmax = mesh_softmax(fabric, {queries, seen}, part, 1);
  cost.cycles = as_double(turns) * (scores.cycles + softmax.parts.total() + values.cycles) +
                2 * spread_cycles(fabric, way.tokens * layer.query_features(), tiles);
  // Scores are of a turn, before and behind the softmax.
  cost.scratch = turns * (scores.weights + values.weights) +
                 std::max(scores.scratch, values.scratch) +
                 bytes_each(fabric, 2 * as_double(queries) * as_double(seen), part);
  return cost;
}

/// The products whose weights stay, each within its share of the room.
std::array<LayerProduct, 4> weight_products(const TransformerOperator& layer, std::int64_t block,
                                            const TileGrid& tiles, std::int64_t room,
                                            std::size_t budget) {
  const std::int64_t hidden = layer.hidden;
  const std::int64_t queries = layer.query_features();
  const std::int64_t narrow = layer.key_features();
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  std::array<LayerProduct, 4> products{
      {{"queries, keys and values", {block, hidden, queries + 2 * narrow}, tiles, room, budget},
       {"output", {block, queries, hidden}, tiles, room, budget},
       {"feed-forward in", {block, hidden, inner}, tiles, room, budget},
       {"feed-forward out", {block, layer.feed_forward, hidden}, tiles, room, budget}}};
  double weights = 0;
  for (const auto& product : products) {
    weights += as_double(product.shape.k) * as_double(product.shape.n);
  }
  for (auto& product : products) {
    const double share = as_double(product.shape.k) * as_double(product.shape.n) / weights;
    product.room = static_cast<std::int64_t>(as_double(room) * share);
  }
  return products;
}

LayerCosts layer_costs(const TileFabric& fabric, const TransformerOperator& layer,
                       std::int64_t block, const TileGrid& tiles, std::int64_t room) {
  LayerCosts costs;
  const BlockWay way{block, 0, 0};
  const auto weights = weight_products(layer, block, tiles, room, 0);
  const auto attention = attention_products(layer, way, tiles, room);
  const TileFabric activations = fabric.wide();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    costs.weights[i] = weights[i].costs(fabric);
  }
  for (std::size_t i = 0; i < attention.size(); ++i) {
    costs.attention[i] = attention[i].costs(activations);
  }
  return costs;
}

/// A layer for blocks of so many tokens.
OperatorCost layer_cost(const TileFabric& fabric, const TransformerOperator& layer,
                        const BlockWay& way, const TileGrid& tiles, std::int64_t room,
                        const LayerCosts& costs) {
  const std::int64_t block = way.tokens;
  const std::int64_t hidden = layer.hidden;
  const std::int64_t queries = layer.query_features();
  const std::int64_t narrow = layer.key_features();
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  OperatorCost cost{0, 0, 0};
  for (const OperatorCosts& product : costs.weights) {
    const OperatorCost best = within_budget(product, way.budget);
    if (!best.is_possible()) return {};
    add_cost(cost, best);
  }
  const OperatorCost attention = attention_cost(fabric, layer, way, tiles, room, costs);
  if (!attention.is_possible()) return {};
  add_cost(cost, attention);
  // Four products, scores, largest, sum and values, two sums, rotary and activation; norms.
  constexpr std::int64_t kStepsBesideNorms = 12;
  const std::int64_t steps = kStepsBesideNorms + layer.norms;
  const OperatorCost norm = price_of(mesh_norm(fabric, {block, hidden}, tiles, 1));
  const OperatorCost sum = price_of(mesh_element_wise(fabric, {block * hidden, 1}, tiles));
  for (std::int64_t i = 0; i < layer.norms; ++i) add_cost(cost, norm);
  for (const OperatorCost& small : {sum, sum}) add_cost(cost, small);
  add_cost(cost, price_of(mesh_rotary(fabric, {block, queries + narrow}, tiles)));
  const std::int64_t own = parts_of(block * layer.feed_forward, tiles.rows * tiles.columns);
  add_cost(cost, price_of(mesh_activation(fabric, own, layer.gated)));
  cost.cycles += as_double(steps) * fabric.cycles.step;
  cost.cycles *= as_double(parts_of(layer.sequence, block));
  // Of a block: the largest of queries, keys and values, or the feed-forward network's inside.
  const double wide =
      as_double(std::max(inner + layer.feed_forward, hidden + 2 * queries + 2 * narrow));
  cost.scratch += bytes_each(fabric, as_double(block) * (wide + as_double(hidden)), tiles);
  return cost;
}

constexpr std::size_t kLeastMemory = kWeightBudgets.size() - 1;
/// Copies of keys and values within a quarter, a 16th, or none.
constexpr std::array<std::size_t, 3> kAttentionBudgets{2, 4, kLeastMemory};

}  // namespace

std::vector<std::int64_t> token_blocks(std::int64_t tokens) {
  constexpr std::int64_t kLeast = 32;
  constexpr std::size_t kMost = 9;
  std::vector<std::int64_t> blocks;
  for (std::int64_t block = tokens; blocks.size() < kMost; block = parts_of(block, 2)) {
    blocks.push_back(block);
    if (block <= kLeast) break;
  }
  return blocks;
}

std::int64_t bytes_each(const TileFabric& fabric, double elements, const TileGrid& tiles) {
  return static_cast<std::int64_t>(std::ceil(elements * as_double(fabric.element_bytes) /
                                             as_double(tiles.rows * tiles.columns)));
}

BlockOffers layer_offers(const TileFabric& tiles_of, const TransformerOperator& at,
                         const TileGrid& tiles, std::int64_t room) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_prefill);
  BlockOffers found(room);
  for (const std::int64_t block : token_blocks(at.sequence)) {
    const LayerCosts costs = layer_costs(fabric, at, block, tiles, room);
    for (const std::size_t budget : {std::size_t{0}, kLeastMemory}) {
      for (const std::size_t attention : kAttentionBudgets) {
        const BlockWay way{block, budget, attention};
        found.add(layer_cost(fabric, at, way, tiles, room, costs), way);
      }
    }
  }
  return found;
}

OperatorWay layer_way(const TileFabric& tiles_of, const TransformerOperator& at,
                      const BlockWay& way, const TileGrid& tiles, std::int64_t room) {
  const TileFabric fabric = tiles_of.of(TileProgram::waferllm_prefill);
  OperatorWay found{way.tokens, {}};
  const auto append = [&](const LayerProduct& product, const TileFabric& as_kept) {
    ProductWay best = *product.offers(as_kept).way(product.budget);
    best.name = product.name;
    best.turns = product.turns;
    found.products.push_back(best);
  };
  for (const auto& product : weight_products(at, way.tokens, tiles, room, way.budget)) {
    append(product, fabric);
  }
  const TileFabric activations = fabric.wide();
  for (const auto& product : attention_products(at, way, tiles, room)) {
    append(product, activations);
  }
  return found;
}

}  // namespace waferloom::planner
