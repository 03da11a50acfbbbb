#include "planner/wafer/stage_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"

// Problem: tell what an operator of a network takes on a rectangle of tiles that keeps its weights,
// if it may do so in any way for which there is a closed form.
// Idea: nearly all of it is products. A product cuts its rows among copies of the weights: parts of
// the rectangle work side by side, each by the fastest algorithm of mesh_gemm. Many copies mean
// large blocks of a tile, so less of the start of each update, and more memory. Before a product
// each copy gathers its rows' input: half of it crosses the rectangle's middle. A transformer or a
// head works on blocks of tokens, so that what is wide inside (feed-forward network, scores,
// logits) is on the tiles for a block alone. Queries of the heads that share keys are one product.
// Source: closed forms of kernels/mesh_operators.h and mesh_layers.h; copies and blocks are ours.
// Cost: a few hundred closed forms a product.
namespace waferloom::planner {
namespace {

/// A product, and the input that a copy needs for so many of its rows in a line.
struct RowProduct {
  GemmShape shape{};
  std::int64_t channels = 1;  ///< of the input
  std::int64_t window_height = 1;
  std::int64_t window_width = 1;
  std::int64_t stride = 1;
  /// Neighbouring windows overlap; each row needs no more than its own window.
  std::int64_t input_of(std::int64_t rows) const {
    const std::int64_t line = (rows - 1) * std::min(stride, window_width) + window_width;
    return channels * window_height * line;
  }
};

RowProduct plain_product(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {{m, k, n}, k, 1, 1, 1};
}

/// Keeps the fastest within each budget. The last one's is what nearly the least memory allows.
template <typename Way>
class Offers {
 public:
  explicit Offers(std::int64_t room) : room_(room) {}

  void add(const OperatorCost& cost, const Way& way) {
    if (cost.is_possible() && cost.weights + cost.scratch <= room_) offers_.push_back({cost, way});
  }

  OperatorCosts costs() const {
    OperatorCosts found;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (const Offer* best = within(i)) found[i] = best->cost;
    }
    return found;
  }

  /// Of a budget, or of the last where that has none; null if nothing has room.
  const Way* way(std::size_t budget) const {
    const Offer* best = within(budget);
    if (best == nullptr) best = within(kWeightBudgets.size() - 1);
    return best == nullptr ? nullptr : &best->way;
  }

 private:
  struct Offer {
    OperatorCost cost;
    Way way;
  };

  const Offer* within(std::size_t budget) const {
    constexpr double kNearlyLeast = 1.1;
    const bool is_last = budget + 1 == kWeightBudgets.size();
    double most = kWeightBudgets[budget] * as_double(room_);
    if (is_last) {
      std::int64_t least = room_;
      for (const Offer& offer : offers_) {
        least = std::min(least, offer.cost.weights + offer.cost.scratch);
      }
      most = kNearlyLeast * as_double(least);
    }
    const Offer* best = nullptr;
    for (const Offer& offer : offers_) {
      const OperatorCost& cost = offer.cost;
      if (as_double(cost.weights + (is_last ? cost.scratch : 0)) > most) continue;
      if (best == nullptr || cost.cycles < best->cost.cycles) best = &offer;
    }
    return best;
  }

  std::int64_t room_;
  std::vector<Offer> offers_{};
};
using ProductOffers = Offers<ProductWay>;

/// Tokens of a block, and the budgets of its products.
struct BlockWay {
  std::int64_t tokens = 0;
  std::size_t budget = 0;
  std::size_t attention_budget = 0;  ///< of keys and values
};
using BlockOffers = Offers<BlockWay>;

/// Words come from anywhere and go anywhere: half of them cross the middle of the rectangle, half
/// of those in either direction.
double spread_cycles(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles) {
  const auto cut = as_double(std::min(tiles.rows, tiles.columns));
  return as_double(words_of(fabric, elements)) / 4 / cut + fabric.cycles.phase +
         fabric.way(as_double(tiles.rows + tiles.columns) / 2);
}

/// What a copy on a part of the rectangle takes for its rows.
OperatorCost part_cost(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& part) {
  const MeshOperator found = mesh_gemm(fabric, algorithm, shape, part);
  const std::int64_t tiles = found.used.rows * found.used.columns;
  OperatorCost cost;
  cost.cycles = found.parts.total();
  cost.weights =
      algorithm == GemmAlgorithm::weight_stationary
          ? parts_of(shape.k, part.rows) * parts_of(shape.n, part.columns) * fabric.element_bytes
          : parts_of(shape.k * shape.n, tiles) * fabric.element_bytes;
  cost.scratch =
      std::max<std::int64_t>(0, found.bytes_per_tile - fabric.program_bytes - cost.weights);
  return cost;
}

constexpr std::int64_t kRowsOfSteps = 4;
constexpr std::array<GemmAlgorithm, 3> kAlgorithms{GemmAlgorithm::weight_stationary,
                                                   GemmAlgorithm::summa, GemmAlgorithm::meshgemm};

void offer_parts(ProductOffers& found, const TileFabric& fabric, const RowProduct& product,
                 const TileGrid& tiles, const TileGrid& copies) {
  const TileGrid part{tiles.rows / copies.rows, tiles.columns / copies.columns};
  if (part.rows < 1 || part.columns < 1) return;
  const std::int64_t count = copies.rows * copies.columns;
  const std::int64_t rows = parts_of(product.shape.m, count);
  const std::int64_t used = parts_of(product.shape.m, rows);
  const double spread = spread_cycles(fabric, used * product.input_of(rows), tiles);
  const GemmShape shape{rows, product.shape.k, product.shape.n};
  // Steps of the others pay where each row of tiles has rows enough; a copy's rows are else few.
  const bool is_long = rows >= kRowsOfSteps * std::min(part.rows, part.columns);
  for (const GemmAlgorithm algorithm : kAlgorithms) {
    if (algorithm != GemmAlgorithm::weight_stationary && !is_long) break;
    for (const TileGrid& grid : {part, TileGrid{part.columns, part.rows}}) {
      OperatorCost cost = part_cost(fabric, algorithm, shape, grid);
      cost.cycles += spread;
      found.add(cost, {"product", product.shape, algorithm, tiles, grid, rows, 1});
      if (algorithm == GemmAlgorithm::meshgemm || part.rows == part.columns) break;
    }
  }
}

/// 1, 2, 3, 4, 6, 8, 12, 16 … and `most`.
std::vector<std::int64_t> steps_up_to(std::int64_t most) {
  std::vector<std::int64_t> steps;
  for (std::int64_t power = 1; power <= most; power *= 2) {
    steps.push_back(power);
    if (power > 1 && power + power / 2 <= most) steps.push_back(power + power / 2);
  }
  if (steps.back() != most) steps.push_back(most);
  return steps;
}

ProductOffers product_offers(const TileFabric& fabric, const RowProduct& product,
                             const TileGrid& tiles, std::int64_t room) {
  ProductOffers found(room);
  const std::int64_t area = tiles.rows * tiles.columns;
  const double least_tiles = as_double(product.shape.k) * as_double(product.shape.n) *
                             as_double(fabric.element_bytes) / as_double(room);
  const auto most = static_cast<std::int64_t>(as_double(area) / std::max(1.0, least_tiles));
  std::int64_t last = 0;
  for (const std::int64_t rows : steps_up_to(product.shape.m)) {
    const std::int64_t count = parts_of(product.shape.m, rows);
    if (count > most || count == last) continue;
    last = count;
    // Parts about as square as the rectangle, flatter and higher.
    const double square =
        std::sqrt(as_double(count) * as_double(tiles.columns) / as_double(tiles.rows));
    std::int64_t before = 0;
    for (const double flatness : {0.4, 1.0, 2.5}) {
      const std::int64_t across =
          std::clamp(static_cast<std::int64_t>(std::lround(square * flatness)), std::int64_t{1},
                     std::min(count, tiles.columns));
      if (across == before) continue;
      before = across;
      offer_parts(found, fabric, product, tiles, {parts_of(count, across), across});
    }
  }
  offer_parts(found, fabric, product, tiles, {1, 1});
  return found;
}

OperatorCosts product_costs(const TileFabric& fabric, const RowProduct& product,
                            const TileGrid& tiles, std::int64_t room) {
  return product_offers(fabric, product, tiles, room).costs();
}

void add(OperatorCost& whole, const OperatorCost& next) {
  whole.cycles += next.cycles;
  whole.weights += next.weights;
  whole.scratch = std::max(whole.scratch, next.scratch);
}

OperatorCost simple_cost(const MeshOperator& found) { return {found.parts.total(), 0, 0}; }

/// Blocks of so many tokens are worth a trial.
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
};

OperatorCost within_budget(const OperatorCosts& costs, std::size_t budget) {
  return costs[budget].is_possible() ? costs[budget] : costs.back();
}

/// Products of attention, of a block of tokens to all of the sample's. A part of the rectangle for
/// each head of keys and values; those without a part take turns. Keys and values stay.
std::array<LayerProduct, 2> attention_products(const TransformerOperator& layer,
                                               const BlockWay& way, const TileGrid& tiles,
                                               std::int64_t room) {
  const std::int64_t heads = layer.key_value_heads;
  const std::int64_t size = layer.hidden / layer.heads;
  const std::int64_t queries = way.tokens * (layer.heads / heads);
  const TileGrid part = equal_part(tiles, heads);
  const std::int64_t beside =
      std::min(heads, (tiles.rows / part.rows) * (tiles.columns / part.columns));
  const std::int64_t turns = parts_of(heads, beside);
  const std::size_t budget = way.attention_budget;
  return {{{"scores", {queries, size, layer.sequence}, part, room, budget, turns},
           {"values", {queries, layer.sequence, size}, part, room, budget, turns}}};
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
  const MeshOperator softmax = mesh_softmax(fabric, queries, layer.sequence, part, 1);
  cost.cycles = as_double(turns) * (scores.cycles + softmax.parts.total() + values.cycles) +
                2 * spread_cycles(fabric, way.tokens * layer.hidden, tiles);
  // Scores are of a turn, before and behind the softmax.
  cost.scratch = turns * (scores.weights + values.weights) +
                 std::max(scores.scratch, values.scratch) +
                 bytes_each(fabric, 2 * as_double(queries) * as_double(layer.sequence), part);
  return cost;
}

/// The products whose weights stay, each within its share of the room.
std::array<LayerProduct, 4> weight_products(const TransformerOperator& layer, std::int64_t block,
                                            const TileGrid& tiles, std::int64_t room,
                                            std::size_t budget) {
  const std::int64_t hidden = layer.hidden;
  const std::int64_t narrow = layer.key_value_heads * (hidden / layer.heads);
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  std::array<LayerProduct, 4> products{
      {{"queries, keys and values", {block, hidden, hidden + 2 * narrow}, tiles, room, budget},
       {"output", {block, hidden, hidden}, tiles, room, budget},
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
  for (std::size_t i = 0; i < weights.size(); ++i) {
    costs.weights[i] = weights[i].offers(fabric).costs();
  }
  for (std::size_t i = 0; i < attention.size(); ++i) {
    costs.attention[i] = attention[i].offers(fabric).costs();
  }
  return costs;
}

/// A layer for blocks of so many tokens.
OperatorCost layer_cost(const TileFabric& fabric, const TransformerOperator& layer,
                        const BlockWay& way, const TileGrid& tiles, std::int64_t room,
                        const LayerCosts& costs) {
  const std::int64_t block = way.tokens;
  const std::int64_t hidden = layer.hidden;
  const std::int64_t narrow = layer.key_value_heads * (hidden / layer.heads);
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  OperatorCost cost{0, 0, 0};
  for (const OperatorCosts& product : costs.weights) {
    const OperatorCost best = within_budget(product, way.budget);
    if (!best.is_possible()) return {};
    add(cost, best);
  }
  const OperatorCost attention = attention_cost(fabric, layer, way, tiles, room, costs);
  if (!attention.is_possible()) return {};
  add(cost, attention);
  constexpr std::int64_t kActivation = 2;
  const OperatorCost norm = simple_cost(mesh_norm(fabric, block, hidden, tiles, 1));
  const OperatorCost sum = simple_cost(mesh_element_wise(fabric, block * hidden, 1, tiles));
  for (const OperatorCost& small : {norm, norm, sum, sum}) add(cost, small);
  add(cost, simple_cost(mesh_rotary(fabric, block, hidden + narrow, tiles)));
  add(cost, simple_cost(mesh_element_wise(fabric, block * layer.feed_forward, kActivation, tiles)));
  cost.cycles *= as_double(parts_of(layer.sequence, block));
  // Of a block: the largest of queries, keys and values, or the feed-forward network's inside.
  const double wide = as_double(std::max(inner + layer.feed_forward, 3 * hidden + 2 * narrow));
  cost.scratch += bytes_each(fabric, as_double(block) * (wide + as_double(hidden)), tiles);
  return cost;
}

RowProduct product_of(const ConvOperator& at) {
  const Window& window = at.window;
  return {{window.out_height() * window.out_width(), window.height * window.width * at.in_channels,
           at.out_channels},
          at.in_channels,
          window.height,
          window.width,
          window.stride};
}

RowProduct product_of(const LinearOperator& at) {
  return plain_product(at.rows, at.in_features, at.out_features);
}

constexpr std::size_t kLeastMemory = kWeightBudgets.size() - 1;
/// Copies of keys and values within a quarter, a 16th, or none.
constexpr std::array<std::size_t, 3> kAttentionBudgets{2, 4, kLeastMemory};

BlockOffers layer_offers(const TileFabric& fabric, const TransformerOperator& at,
                         const TileGrid& tiles, std::int64_t room) {
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

BlockOffers embedding_offers(const TileFabric& fabric, const EmbeddingOperator& at,
                             const TileGrid& tiles, std::int64_t room) {
  BlockOffers found(room);
  const std::int64_t rows = at.vocabulary + at.positions;
  const std::int64_t columns = parts_of(at.hidden, tiles.columns);
  for (const std::int64_t block : token_blocks(at.sequence)) {
    const MeshOperator fetched = mesh_embedding(fabric, block, rows, at.hidden, tiles);
    OperatorCost cost;
    cost.cycles = (fetched.parts.total() + spread_cycles(fabric, block * at.hidden, tiles)) *
                  as_double(parts_of(at.sequence, block));
    cost.weights = parts_of(rows, tiles.rows) * columns * fabric.element_bytes;
    cost.scratch = block * columns * fabric.element_bytes;
    found.add(cost, {block, 0, 0});
  }
  return found;
}

BlockOffers head_offers(const TileFabric& fabric, const HeadOperator& at, const TileGrid& tiles,
                        std::int64_t room) {
  BlockOffers found(room);
  for (const std::int64_t block : token_blocks(at.sequence)) {
    const OperatorCosts products =
        product_costs(fabric, plain_product(block, at.hidden, at.vocabulary), tiles, room);
    const std::int64_t own_tokens = parts_of(block, tiles.rows);
    const double beside =
        mesh_norm(fabric, block, at.hidden, tiles, 1).parts.total() +
        vector_cycles(fabric, own_tokens, parts_of(at.vocabulary, tiles.columns)) +
        mesh_all_reduce(fabric, own_tokens, tiles.columns, 1).parts.total();
    for (std::size_t budget = 0; budget < products.size(); ++budget) {
      OperatorCost cost = products[budget];
      if (!cost.is_possible()) continue;
      cost.cycles = (cost.cycles + beside) * as_double(parts_of(at.sequence, block));
      cost.scratch +=
          bytes_each(fabric, as_double(block) * as_double(at.vocabulary + at.hidden), tiles);
      found.add(cost, {block, budget, 0});
    }
  }
  return found;
}

struct CostOf {
  const TileFabric& fabric;
  const TileGrid& tiles;
  std::int64_t room;

  OperatorCosts operator()(const LinearOperator& at) const {
    return product_costs(fabric, product_of(at), tiles, room);
  }
  OperatorCosts operator()(const ConvOperator& at) const {
    const RowProduct product = product_of(at);
    OperatorCosts costs = product_costs(fabric, product, tiles, room);
    // The rectifier behind it; scaling by a normalisation is part of the weights.
    const MeshOperator behind =
        mesh_element_wise(fabric, product.shape.m * product.shape.n, 1, tiles);
    for (OperatorCost& cost : costs) cost.cycles += behind.parts.total();
    return costs;
  }
  OperatorCosts operator()(const PoolOperator& at) const {
    const Window& window = at.window;
    const std::int64_t elements = window.out_height() * window.out_width() * at.channels;
    OperatorCost cost =
        simple_cost(mesh_element_wise(fabric, elements, window.height * window.width, tiles));
    cost.cycles += spread_cycles(fabric, window.in_height * window.in_width * at.channels, tiles);
    return same(cost);
  }
  OperatorCosts operator()(const TransformerOperator& at) const {
    return layer_offers(fabric, at, tiles, room).costs();
  }
  OperatorCosts operator()(const EmbeddingOperator& at) const {
    return embedding_offers(fabric, at, tiles, room).costs();
  }
  OperatorCosts operator()(const HeadOperator& at) const {
    return head_offers(fabric, at, tiles, room).costs();
  }
  OperatorCosts operator()(const AddOperator& at) const {
    OperatorCost cost = simple_cost(mesh_element_wise(fabric, at.elements, 1, tiles));
    cost.cycles += spread_cycles(fabric, at.elements, tiles);
    return same(cost);
  }

  static OperatorCosts same(const OperatorCost& cost) {
    OperatorCosts costs;
    costs.fill(cost);
    return costs;
  }
};

struct WayOf {
  const TileFabric& fabric;
  const TileGrid& tiles;
  std::int64_t room;
  std::size_t budget;

  template <typename Product>
  OperatorWay of_product(const Product& at) const {
    const ProductOffers offers = product_offers(fabric, product_of(at), tiles, room);
    const ProductWay* best = offers.way(budget);
    return best == nullptr ? OperatorWay{} : OperatorWay{0, {*best}};
  }
  void append(OperatorWay& way, const LayerProduct& product) const {
    const ProductOffers offers = product.offers(fabric);
    ProductWay best = *offers.way(product.budget);
    best.name = product.name;
    best.turns = product.turns;
    way.products.push_back(best);
  }
  OperatorWay operator()(const LinearOperator& at) const { return of_product(at); }
  OperatorWay operator()(const ConvOperator& at) const { return of_product(at); }
  OperatorWay operator()(const PoolOperator& /*at*/) const { return {}; }
  OperatorWay operator()(const AddOperator& /*at*/) const { return {}; }
  OperatorWay operator()(const TransformerOperator& at) const {
    const BlockOffers offers = layer_offers(fabric, at, tiles, room);
    const BlockWay* best = offers.way(budget);
    if (best == nullptr) return {};
    OperatorWay way{best->tokens, {}};
    for (const auto& product : weight_products(at, best->tokens, tiles, room, best->budget)) {
      append(way, product);
    }
    for (const auto& product : attention_products(at, *best, tiles, room)) {
      append(way, product);
    }
    return way;
  }
  OperatorWay operator()(const EmbeddingOperator& at) const {
    const BlockOffers offers = embedding_offers(fabric, at, tiles, room);
    const BlockWay* best = offers.way(budget);
    return best == nullptr ? OperatorWay{} : OperatorWay{best->tokens, {}};
  }
  OperatorWay operator()(const HeadOperator& at) const {
    const BlockOffers offers = head_offers(fabric, at, tiles, room);
    const BlockWay* best = offers.way(budget);
    if (best == nullptr) return {};
    OperatorWay way{best->tokens, {}};
    append(way, {"logits", {best->tokens, at.hidden, at.vocabulary}, tiles, room, best->budget});
    return way;
  }
};

}  // namespace

OperatorWay operator_way(const TileFabric& fabric, const OperatorKind& kind, const TileGrid& tiles,
                         std::int64_t room, std::size_t budget) {
  return std::visit(WayOf{fabric, tiles, room, budget}, kind);
}

OperatorCosts operator_costs(const TileFabric& fabric, const OperatorKind& kind,
                             const TileGrid& tiles, std::int64_t room) {
  return std::visit(CostOf{fabric, tiles, room}, kind);
}

std::int64_t output_elements(const OperatorKind& kind) {
  if (const auto* head = std::get_if<HeadOperator>(&kind)) return head->sequence;
  return count(kind).output;
}

double weight_bytes(const OperatorKind& kind, std::int64_t element_bytes) {
  if (const auto* head = std::get_if<HeadOperator>(&kind)) {
    // A tied matrix is needed here, too: the embedding's lies elsewhere.
    return as_double(head->hidden) * as_double(head->vocabulary) * as_double(element_bytes);
  }
  return as_double(count(kind).parameters) * as_double(element_bytes);
}

}  // namespace waferloom::planner
