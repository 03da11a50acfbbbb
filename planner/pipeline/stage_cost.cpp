#include "planner/pipeline/stage_cost.h"

#include <algorithm>

#include "kernels/mesh_collectives.h"
#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "planner/pipeline/layer_offers.h"
#include "planner/pipeline/product_offers.h"

namespace waferloom::planner {
namespace {

OperatorCost simple_cost(const MeshOperator& found) { return {found.parts.total(), 0, 0}; }

/// A transposed one makes the filter's pixels of every pixel of the input.
RowProduct product_of(const ConvOperator& at) {
  const Window& window = at.window;
  const std::int64_t pixels = window.height * window.width;
  const std::int64_t in = at.in_channels / at.groups;
  const std::int64_t out = at.out_channels / at.groups;
  RowProduct product = plain_product(at.filtered_pixels(), in, out * pixels);
  product.groups = at.groups;
  if (at.transposed) return product;
  product.shape = {at.filtered_pixels(), in * pixels, out};
  product.window_height = window.height;
  product.window_width = window.width;
  product.stride = window.horizontal_stride;
  product.dilation = window.horizontal_dilation;
  return product;
}

/// What stands on the right is a copy's weights, new for every sample.
RowProduct product_of(const ProductOperator& at) {
  RowProduct product = plain_product(at.rows, at.in_features, at.out_features);
  product.groups = at.batch;
  return product;
}

RowProduct product_of(const LinearOperator& at) {
  return plain_product(at.rows, at.in_features, at.out_features);
}

/// Turned, so that the left side is what stays on the tiles.
RowProduct product_of(const GemmOperator& at) {
  RowProduct product = plain_product(at.n, at.k, at.m);
  product.groups = at.batch;
  return product;
}

/// The side of a product that stays is a matrix of activations: it is brought to the tiles, and
/// takes room while the product is under way.
OperatorCosts activation_costs(const TileFabric& fabric, const RowProduct& product,
                               const TileGrid& tiles, std::int64_t room) {
  OperatorCosts costs = product_costs(fabric.wide(), product, tiles, room);
  const double brought =
      spread_cycles(fabric, product.groups * product.shape.k * product.shape.n, tiles);
  for (OperatorCost& cost : costs) {
    cost.cycles += brought;
    cost.scratch += cost.weights;
    cost.weights = 0;
  }
  return costs;
}

/// Numbers come to a part of the rectangle for each sum, whose tiles add up their own and then what
/// they have along its rows and columns. With more sums than tiles a tile does several.
OperatorCost reduction_cost(const TileFabric& fabric, const ReduceOperator& at,
                            const TileGrid& tiles) {
  const std::int64_t parts = std::min(at.out, tiles.rows * tiles.columns);
  const TileGrid part = equal_part(tiles, parts);
  const std::int64_t turns = parts_of(at.out, parts);
  const std::int64_t numbers = parts_of(at.elements / at.out, part.rows * part.columns);
  OperatorCost cost{0, 0, 0};
  cost.cycles = spread_cycles(fabric, at.elements, tiles) + vector_cycles(turns, fabric, numbers);
  for (const std::int64_t line : {part.columns, part.rows}) {
    cost.cycles += mesh_all_reduce(fabric, turns, {.tiles = line, .groups = 0}).parts.total();
  }
  return cost;
}

BlockOffers embedding_offers(const TileFabric& fabric, const EmbeddingOperator& at,
                             const TileGrid& tiles, std::int64_t room) {
  BlockOffers found(room);
  const std::int64_t rows = at.vocabulary + at.positions;
  const std::int64_t columns = parts_of(at.hidden, tiles.columns);
  for (const std::int64_t block : token_blocks(at.sequence)) {
    const MeshOperator fetched = mesh_embedding(fabric, {block, rows, at.hidden}, tiles);
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
        product_costs(fabric.wide(), plain_product(block, at.hidden, at.vocabulary), tiles, room);
    const std::int64_t own_tokens = parts_of(block, tiles.rows);
    const double beside =
        mesh_norm(fabric, {block, at.hidden}, tiles, 1).parts.total() +
        vector_cycles(own_tokens, fabric, parts_of(at.vocabulary, tiles.columns)) +
        mesh_all_reduce(fabric, own_tokens, {.tiles = tiles.columns, .groups = 1}).parts.total();
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
    // The rectifier behind it; scaling by a normalisation is part of the weights. Pixels of a
    // transposed one are added up.
    const MeshOperator behind =
        mesh_element_wise(fabric, {product.shape.m * product.shape.n * product.groups, 1}, tiles);
    for (OperatorCost& cost : costs) cost.cycles += behind.parts.total();
    return costs;
  }
  OperatorCosts operator()(const ProductOperator& at) const {
    return activation_costs(fabric, product_of(at), tiles, room);
  }
  OperatorCosts operator()(const GemmOperator& at) const {
    return at.weights ? product_costs(fabric, product_of(at), tiles, room)
                      : activation_costs(fabric, product_of(at), tiles, room);
  }
  OperatorCosts operator()(const PatchesOperator& at) const {
    OperatorCosts costs = product_costs(fabric.wide(), product_of(at.product()), tiles, room);
    const MeshOperator sum = mesh_element_wise(fabric, {at.tokens() * at.hidden, 1}, tiles);
    for (OperatorCost& cost : costs) cost.cycles += sum.parts.total();
    return costs;
  }
  OperatorCosts operator()(const PoolOperator& at) const {
    const Window& window = at.window;
    const std::int64_t elements = window.out_height() * window.out_width() * at.channels;
    OperatorCost cost =
        simple_cost(mesh_element_wise(fabric, {elements, window.height * window.width}, tiles));
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
  OperatorCosts operator()(const ElementOperator& at) const {
    return same(simple_cost(mesh_element_wise(fabric, {at.elements, at.operations}, tiles)));
  }
  OperatorCosts operator()(const ReduceOperator& at) const {
    return same(reduction_cost(fabric, at, tiles));
  }
  OperatorCosts operator()(const ExchangeOperator& at) const {
    return same(simple_cost(mesh_exchange(fabric, at.elements, tiles)));
  }
  /// Nobody asks: pipelining does not know sorts.
  OperatorCosts operator()(const SortOperator& /*at*/) const { return {}; }
  OperatorCosts operator()(const AddOperator& at) const {
    OperatorCost cost = simple_cost(mesh_element_wise(fabric, {at.elements, 1}, tiles));
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
  OperatorWay of_product(const Product& at, const TileFabric& as_kept) const {
    const ProductOffers offers = product_offers(as_kept, product_of(at), tiles, room);
    const ProductWay* best = offers.way(budget);
    return best == nullptr ? OperatorWay{} : OperatorWay{0, {*best}};
  }
  OperatorWay operator()(const LinearOperator& at) const { return of_product(at, fabric); }
  OperatorWay operator()(const ConvOperator& at) const { return of_product(at, fabric); }
  OperatorWay operator()(const ProductOperator& at) const { return of_product(at, fabric.wide()); }
  OperatorWay operator()(const GemmOperator& at) const {
    return of_product(at, at.weights ? fabric : fabric.wide());
  }
  OperatorWay operator()(const PoolOperator& /*at*/) const { return {}; }
  OperatorWay operator()(const AddOperator& /*at*/) const { return {}; }
  template <GraphKernel Kernel>
  OperatorWay operator()(const Kernel& /*at*/) const {
    return {};
  }
  OperatorWay operator()(const PatchesOperator& at) const {
    return of_product(at.product(), fabric.wide());
  }
  OperatorWay operator()(const TransformerOperator& at) const {
    const BlockOffers offers = layer_offers(fabric, at, tiles, room);
    const BlockWay* best = offers.way(budget);
    if (best == nullptr) return {};
    return layer_way(fabric, at, *best, tiles, room);
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
    const RowProduct product = plain_product(best->tokens, at.hidden, at.vocabulary);
    OperatorWay way{best->tokens,
                    {*product_offers(fabric.wide(), product, tiles, room).way(best->budget)}};
    way.products.front().name = "logits";
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
  OperatorCosts costs = std::visit(CostOf{fabric, tiles, room}, kind);
  // A layer counts its steps for each block of tokens.
  if (std::holds_alternative<TransformerOperator>(kind)) return costs;
  for (OperatorCost& cost : costs) cost.cycles += fabric.cycles.step;
  return costs;
}

std::int64_t output_elements(const OperatorKind& kind) {
  if (const auto* head = std::get_if<HeadOperator>(&kind)) return head->sequence;
  return count(kind).output;
}

double weight_bytes(const TileFabric& fabric, const OperatorKind& kind) {
  if (const auto* head = std::get_if<HeadOperator>(&kind)) {
    // A tied matrix is needed here, too: the embedding's lies elsewhere.
    return as_double(head->hidden) * as_double(head->vocabulary) * as_double(fabric.element_bytes);
  }
  return static_cast<double>(
      waferloom::weight_bytes(count(kind), fabric.kept, fabric.element_bytes));
}

double trained_bytes(const OperatorKind& kind, double weight_bytes, std::int64_t state_bytes) {
  return 2 * weight_bytes + as_double(count(kind).parameters) * as_double(state_bytes);
}

}  // namespace waferloom::planner
