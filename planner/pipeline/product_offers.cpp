#include "planner/pipeline/product_offers.h"

#include <array>
#include <cmath>

// Problem: lay out a product on a rectangle that keeps its weights, for a trade of time and memory.
// Idea: its rows are cut among copies of the weights. Parts of the rectangle work side by side,
// each by the fastest algorithm of mesh_gemm. Many copies mean large blocks of a tile, so fewer
// starts of updates, and more memory. Before it each copy gathers its rows' input, over the cut
// through the rectangle's middle. Tried are 1, 2, 3, 4, 6, 8 … rows a copy, on parts of three
// flatnesses. Groups with weights of their own lie on copies of their own, or many on one.
// Source: ours, of the closed forms in kernels/mesh_operators.h.
// Cost: about a hundred closed forms.
namespace waferloom::planner {
namespace {

/// What a copy on a part of the rectangle takes for its rows.
OperatorCost part_cost(const TileFabric& fabric, GemmAlgorithm algorithm, const GemmShape& shape,
                       const TileGrid& part) {
  const MeshOperator found = mesh_gemm(fabric, algorithm, shape, part);
  const std::int64_t tiles = found.used.rows * found.used.columns;
  const std::int64_t numbers = algorithm == GemmAlgorithm::weight_stationary
                                   ? parts_of(shape.k, part.rows) * parts_of(shape.n, part.columns)
                                   : parts_of(shape.k * shape.n, tiles);
  OperatorCost cost;
  cost.cycles = found.parts.total();
  cost.weights = fabric.weight_bytes(numbers);
  cost.scratch = std::max<std::int64_t>(
      0, found.bytes_per_tile - fabric.program_bytes - numbers * fabric.element_bytes);
  return cost;
}

constexpr std::int64_t kRowsOfSteps = 4;
constexpr std::array<GemmAlgorithm, 3> kAlgorithms{
    GemmAlgorithm::weight_stationary, GemmAlgorithm::pipelined_summa, GemmAlgorithm::meshgemm};

/// A way to lay out a product, whatever the rectangle.
struct PartWay {
  GemmAlgorithm algorithm;
  TileGrid part;
  std::int64_t rows;
  std::int64_t turns;
};

template <typename Add>
void offer_parts(const Add& add, const TileFabric& fabric, const RowProduct& product,
                 const TileGrid& tiles, const TileGrid& copies) {
  const TileGrid part{tiles.rows / copies.rows, tiles.columns / copies.columns};
  if (part.rows < 1 || part.columns < 1) return;
  const std::int64_t count = copies.rows * copies.columns;
  const std::int64_t turns = parts_of(product.groups, count);
  const std::int64_t rows =
      parts_of(product.shape.m, std::max<std::int64_t>(1, count / product.groups));
  const std::int64_t inputs = product.groups * parts_of(product.shape.m, rows);
  const double spread = spread_cycles(fabric, inputs * product.input_of(rows), tiles);
  const GemmShape shape{rows, product.shape.k, product.shape.n};
  // Steps of the others pay where each row of tiles has rows enough; a copy's rows are else few.
  const bool is_long = rows >= kRowsOfSteps * std::min(part.rows, part.columns);
  for (const GemmAlgorithm algorithm : kAlgorithms) {
    if (algorithm != GemmAlgorithm::weight_stationary && !is_long) break;
    for (const TileGrid& grid : {part, TileGrid{part.columns, part.rows}}) {
      OperatorCost cost = part_cost(fabric, algorithm, shape, grid);
      cost.cycles = cost.cycles * as_double(turns) + spread;
      cost.weights *= turns;
      cost.scratch *= turns;
      add(cost, PartWay{algorithm, grid, rows, turns});
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

}  // namespace

RowProduct plain_product(std::int64_t m, std::int64_t k, std::int64_t n) { return {{m, k, n}, k}; }

double spread_cycles(const TileFabric& fabric, std::int64_t elements, const TileGrid& tiles) {
  const auto cut = as_double(std::min(tiles.rows, tiles.columns));
  return as_double(words_of(fabric, elements)) / 4 / cut + fabric.cycles.phase +
         fabric.way(as_double(tiles.rows + tiles.columns) / 2);
}

namespace {

/// Calls add(cost, way) for all ways.
template <typename Add>
void offer_all(const Add& add, const TileFabric& fabric, const RowProduct& product,
               const TileGrid& tiles, std::int64_t room) {
  const std::int64_t area = tiles.rows * tiles.columns;
  const double group_tiles =
      as_double(fabric.weight_bytes(product.shape.k * product.shape.n)) / as_double(room);
  std::int64_t last = 0;
  const auto offer = [&](std::int64_t count, std::int64_t turns) {
    const double least_tiles = std::max(1.0, as_double(turns) * group_tiles);
    const auto most = static_cast<std::int64_t>(as_double(area) / least_tiles);
    if (count > most || count == last) return;
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
      offer_parts(add, fabric, product, tiles, {parts_of(count, across), across});
    }
  };
  for (const std::int64_t rows : steps_up_to(product.shape.m)) {
    offer(product.groups * parts_of(product.shape.m, rows), 1);
  }
  for (const std::int64_t turns : steps_up_to(product.groups)) {
    if (turns > 1) offer(parts_of(product.groups, turns), turns);
  }
  offer_parts(add, fabric, product, tiles, {1, 1});
}

/// As Offers, of costs alone. Of each budget but the last the fastest is known at once.
class CostOffers {
 public:
  explicit CostOffers(std::int64_t room) : room_(room), least_(room) {
    constexpr std::size_t kUsual = 128;
    offers_.reserve(kUsual);
    for (std::size_t i = 0; i < most_.size(); ++i) most_[i] = most_weights(i, room);
  }

  void add(const OperatorCost& cost) {
    if (!cost.is_possible() || cost.weights + cost.scratch > room_) return;
    least_ = std::min(least_, cost.weights + cost.scratch);
    const double weights = as_double(cost.weights);
    for (std::size_t i = 0; i + 1 < found_.size(); ++i) {
      if (weights > most_[i]) break;  // budgets shrink
      if (cost.cycles < found_[i].cycles) found_[i] = cost;
    }
    offers_.push_back(cost);
  }

  OperatorCosts costs() {
    const double most = nearly_least(least_);
    OperatorCost& last = found_.back();
    for (const OperatorCost& cost : offers_) {
      if (as_double(cost.weights + cost.scratch) > most) continue;
      if (cost.cycles < last.cycles) last = cost;
    }
    return found_;
  }

 private:
  std::int64_t room_;
  std::int64_t least_;
  std::array<double, kWeightBudgets.size()> most_{};
  OperatorCosts found_;
  std::vector<OperatorCost> offers_;
};

}  // namespace

ProductOffers product_offers(const TileFabric& fabric, const RowProduct& product,
                             const TileGrid& tiles, std::int64_t room) {
  ProductOffers found(room);
  offer_all(
      [&](const OperatorCost& cost, const PartWay& way) {
        found.add(cost,
                  {"product", product.shape, way.algorithm, tiles, way.part, way.rows, way.turns});
      },
      fabric, product, tiles, room);
  return found;
}

OperatorCosts product_costs(const TileFabric& fabric, const RowProduct& product,
                            const TileGrid& tiles, std::int64_t room) {
  CostOffers found(room);
  offer_all([&](const OperatorCost& cost, const PartWay& /*way*/) { found.add(cost); }, fabric,
            product, tiles, room);
  return found.costs();
}

}  // namespace waferloom::planner
