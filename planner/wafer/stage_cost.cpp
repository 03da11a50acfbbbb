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
class BudgetedCosts {
 public:
  explicit BudgetedCosts(std::int64_t room) : room_(room) {}

  void offer(const OperatorCost& cost) {
    if (cost.is_possible() && cost.weights + cost.scratch <= room_) offers_.push_back(cost);
  }

  OperatorCosts costs() const {
    constexpr double kNearlyLeast = 1.1;
    OperatorCosts found;
    if (offers_.empty()) return found;
    double least = as_double(room_);
    for (const OperatorCost& cost : offers_) {
      least = std::min(least, as_double(cost.weights + cost.scratch));
    }
    for (const OperatorCost& cost : offers_) {
      for (std::size_t i = 0; i + 1 < found.size(); ++i) {
        if (as_double(cost.weights) > kWeightBudgets[i] * as_double(room_)) break;
        if (cost.cycles < found[i].cycles) found[i] = cost;
      }
      const bool is_small = as_double(cost.weights + cost.scratch) <= kNearlyLeast * least;
      if (is_small && cost.cycles < found.back().cycles) found.back() = cost;
    }
    return found;
  }

 private:
  std::int64_t room_;
  std::vector<OperatorCost> offers_{};
};

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

void offer_parts(BudgetedCosts& found, const TileFabric& fabric, const RowProduct& product,
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
      found.offer(cost);
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

OperatorCosts product_costs(const TileFabric& fabric, const RowProduct& product,
                            const TileGrid& tiles, std::int64_t room) {
  BudgetedCosts found(room);
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
  return found.costs();
}

void add(OperatorCost& whole, const OperatorCost& next) {
  whole.cycles += next.cycles;
  whole.weights += next.weights;
  whole.scratch = std::max(whole.scratch, next.scratch);
}

OperatorCost simple_cost(const MeshOperator& found) { return {found.parts.total(), 0, 0}; }

/// Blocks of so many tokens are worth a trial.
std::vector<std::int64_t> token_blocks(std::int64_t tokens) {
  constexpr std::int64_t kLeast = 64;
  constexpr std::size_t kMost = 8;
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

/// Attention of a block of tokens to all of the sample's. A part of the rectangle for each head of
/// keys and values; those without a part take turns.
OperatorCost attention_cost(const TileFabric& fabric, const TransformerOperator& layer,
                            std::int64_t block, const TileGrid& tiles, std::int64_t room) {
  const std::int64_t heads = layer.key_value_heads;
  const std::int64_t size = layer.hidden / layer.heads;
  const std::int64_t queries = block * (layer.heads / heads);
  const TileGrid part = equal_part(tiles, heads);
  const std::int64_t beside =
      std::min(heads, (tiles.rows / part.rows) * (tiles.columns / part.columns));
  const std::int64_t turns = parts_of(heads, beside);
  const auto pick = [&](std::int64_t k, std::int64_t n) {
    return product_costs(fabric, plain_product(queries, k, n), part, room).back();
  };
  const OperatorCost scores = pick(size, layer.sequence);
  const OperatorCost values = pick(layer.sequence, size);
  OperatorCost cost;
  if (!scores.is_possible() || !values.is_possible()) return cost;
  const MeshOperator softmax = mesh_softmax(fabric, queries, layer.sequence, part, 1);
  cost.cycles = as_double(turns) * (scores.cycles + softmax.parts.total() + values.cycles) +
                2 * spread_cycles(fabric, block * layer.hidden, tiles);
  // Keys and values of all turns stay; scores are of a turn, before and behind the softmax.
  cost.scratch = turns * (scores.weights + values.weights) +
                 std::max(scores.scratch, values.scratch) +
                 bytes_each(fabric, 2 * as_double(queries) * as_double(layer.sequence), part);
  return cost;
}

/// A layer for blocks of so many tokens, each product's weights within a share of the room.
OperatorCost layer_cost(const TileFabric& fabric, const TransformerOperator& layer,
                        std::int64_t block, const TileGrid& tiles, std::int64_t room,
                        std::size_t budget) {
  const std::int64_t hidden = layer.hidden;
  const std::int64_t narrow = layer.key_value_heads * (hidden / layer.heads);
  const std::int64_t inner = (layer.gated ? 2 : 1) * layer.feed_forward;
  const std::array<GemmShape, 4> products{{{block, hidden, hidden + 2 * narrow},
                                           {block, hidden, hidden},
                                           {block, hidden, inner},
                                           {block, layer.feed_forward, hidden}}};
  double weights = 0;
  for (const GemmShape& shape : products) weights += as_double(shape.k) * as_double(shape.n);
  OperatorCost cost{0, 0, 0};
  for (const GemmShape& shape : products) {
    const double share = as_double(shape.k) * as_double(shape.n) / weights;
    const auto own = static_cast<std::int64_t>(as_double(room) * share);
    const OperatorCosts found =
        product_costs(fabric, plain_product(shape.m, shape.k, shape.n), tiles, own);
    const OperatorCost& best = found[budget].is_possible() ? found[budget] : found.back();
    if (!best.is_possible()) return {};
    add(cost, best);
  }
  const OperatorCost attention = attention_cost(fabric, layer, block, tiles, room);
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

struct CostOf {
  const TileFabric& fabric;
  const TileGrid& tiles;
  std::int64_t room;

  OperatorCosts operator()(const LinearOperator& at) const {
    return product_costs(fabric, plain_product(at.rows, at.in_features, at.out_features), tiles,
                         room);
  }
  OperatorCosts operator()(const ConvOperator& at) const {
    const Window& window = at.window;
    const std::int64_t positions = window.out_height() * window.out_width();
    const RowProduct product{
        {positions, window.height * window.width * at.in_channels, at.out_channels},
        at.in_channels,
        window.height,
        window.width,
        window.stride};
    OperatorCosts costs = product_costs(fabric, product, tiles, room);
    // The rectifier behind it; scaling by a normalisation is part of the weights.
    const MeshOperator behind = mesh_element_wise(fabric, positions * at.out_channels, 1, tiles);
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
    BudgetedCosts found(room);
    for (const std::int64_t block : token_blocks(at.sequence)) {
      for (const std::size_t budget : {std::size_t{0}, kWeightBudgets.size() - 1}) {
        found.offer(layer_cost(fabric, at, block, tiles, room, budget));
      }
    }
    return found.costs();
  }
  OperatorCosts operator()(const EmbeddingOperator& at) const {
    BudgetedCosts found(room);
    for (const std::int64_t block : token_blocks(at.sequence)) {
      const MeshOperator rows =
          mesh_embedding(fabric, block, at.vocabulary + at.positions, at.hidden, tiles);
      const std::int64_t columns = parts_of(at.hidden, tiles.columns);
      OperatorCost cost;
      cost.cycles = (rows.parts.total() + spread_cycles(fabric, block * at.hidden, tiles)) *
                    as_double(parts_of(at.sequence, block));
      cost.weights =
          parts_of(at.vocabulary + at.positions, tiles.rows) * columns * fabric.element_bytes;
      cost.scratch = block * columns * fabric.element_bytes;
      found.offer(cost);
    }
    return found.costs();
  }
  OperatorCosts operator()(const HeadOperator& at) const {
    BudgetedCosts found(room);
    for (const std::int64_t block : token_blocks(at.sequence)) {
      const OperatorCosts products =
          product_costs(fabric, plain_product(block, at.hidden, at.vocabulary), tiles, room);
      const MeshOperator norm = mesh_norm(fabric, block, at.hidden, tiles, 1);
      const std::int64_t own_tokens = parts_of(block, tiles.rows);
      const double largest =
          vector_cycles(fabric, own_tokens, parts_of(at.vocabulary, tiles.columns)) +
          mesh_all_reduce(fabric, own_tokens, tiles.columns, 1).parts.total();
      for (OperatorCost cost : products) {
        if (!cost.is_possible()) continue;
        cost.cycles += norm.parts.total() + largest;
        cost.cycles *= as_double(parts_of(at.sequence, block));
        cost.scratch +=
            bytes_each(fabric, as_double(block) * as_double(at.vocabulary + at.hidden), tiles);
        found.offer(cost);
      }
    }
    return found.costs();
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

}  // namespace

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
