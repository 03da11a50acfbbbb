#include "planner/pipeline/stage_cost.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "planner/tile_operators.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"
#include "tests/support/windows.h"

namespace waferloom::planner {
namespace {

using test::close_to;

constexpr std::int64_t kRoom = 43'152;  // 48 KB without a program of 6,000 bytes

TileFabric wse2_fabric() { return tile_fabric(test::preset_hardware("wse2"), "fp16"); }

double matrix_roofline(const TileFabric& fabric, const OperatorKind& kind, const TileGrid& tiles) {
  return as_double(count(kind).matrix_flop) / 2 /
         (as_double(tiles.rows * tiles.columns) * fabric.lanes);
}

const ConvOperator kBottleneck{test::window_of({56, 56}, {3, 3}, 1, 1), 64, 64, true};
const TransformerOperator kSmallLayer{256, 512, 8, 2, 1'024, true, Biases::none};

/// The same with so many groups; 64: depthwise.
ConvOperator grouped(std::int64_t groups) {
  ConvOperator convolution = kBottleneck;
  convolution.groups = groups;
  return convolution;
}

/// Twice as high and as wide, as decoders of images do it.
ConvOperator upwards() {
  ConvOperator convolution{test::window_of({28, 28}, {2, 2}, 2), 64, 32, true};
  convolution.transposed = true;
  return convolution;
}

const ProductOperator kProduct{8, 128, 64, 128};

void check_costs(const TileFabric& fabric, const OperatorKind& kind) {
  for (const TileGrid tiles : {TileGrid{16, 16}, TileGrid{30, 50}, TileGrid{90, 40}}) {
    const OperatorCosts costs = operator_costs(fabric, kind, tiles, kRoom);
    REQUIRE(costs.back().is_possible());
    for (const OperatorCost& cost : costs) {
      if (!cost.is_possible()) continue;
      CHECK(cost.cycles >= matrix_roofline(fabric, kind, tiles));
      CHECK(cost.weights + cost.scratch <= kRoom);
      CHECK(as_double(cost.weights * tiles.rows * tiles.columns) >=
            0.98 * weight_bytes(fabric, kind));
    }
  }
}

TEST_CASE("no operator is faster than its multiply-adds, nor lacks room for its weights") {
  TileFabric narrow = wse2_fabric();
  narrow.kept.weights = NumberFormat{4, 64};
  const OperatorKind kinds[] = {kBottleneck,
                                kSmallLayer,
                                grouped(64),
                                grouped(4),
                                upwards(),
                                kProduct,
                                LinearOperator{64, 300, 500, true},
                                HeadOperator{128, 5'000, 256, true}};
  for (const TileFabric& fabric : {wse2_fabric(), narrow}) {
    for (const OperatorKind& kind : kinds) {
      check_costs(fabric, kind);
    }
  }
}

TEST_CASE("weights of fewer bits take their bytes, activations those of wide ones") {
  const TileFabric wide = wse2_fabric();
  TileFabric narrow = wide;
  narrow.kept.weights = NumberFormat{4, 64};
  const TileGrid tiles{30, 50};
  constexpr std::size_t kLeast = kWeightBudgets.size() - 1;
  const LinearOperator linear{64, 300, 500, true};
  const OperatorCost cost = operator_costs(narrow, linear, tiles, kRoom)[kLeast];
  const OperatorCost before = operator_costs(wide, linear, tiles, kRoom)[kLeast];
  CHECK(4 * cost.weights >= before.weights);
  CHECK(3 * cost.weights <= before.weights);
  for (const OperatorKind& kind :
       {OperatorKind(kProduct), OperatorKind(HeadOperator{128, 5'000, 256, true}),
        OperatorKind(EmbeddingOperator{128, 5'000, 256, 0})}) {
    const OperatorCosts same = operator_costs(narrow, kind, tiles, kRoom);
    const OperatorCosts other = operator_costs(wide, kind, tiles, kRoom);
    for (std::size_t i = 0; i < same.size(); ++i) {
      CHECK(same[i].weights == other[i].weights);
      CHECK(same[i].scratch == other[i].scratch);
    }
  }
}

TEST_CASE("copies of weights take memory and save time") {
  const OperatorCosts costs = operator_costs(wse2_fabric(), kBottleneck, {60, 60}, kRoom);
  CHECK(costs.front().cycles < 0.5 * costs.back().cycles);
  CHECK(costs.front().weights > 10 * costs.back().weights);
  for (std::size_t i = 0; i + 1 < costs.size(); ++i) {
    if (!costs[i].is_possible()) continue;
    CHECK(as_double(costs[i].weights) <= kWeightBudgets[i] * as_double(kRoom));
    CHECK(costs[i].cycles >= costs.front().cycles);
  }
}

TEST_CASE("groups lie side by side, so that fewer products take less time and memory") {
  const TileFabric fabric = wse2_fabric();
  const TileGrid tiles{60, 60};
  const OperatorCost whole = operator_costs(fabric, kBottleneck, tiles, kRoom).back();
  const OperatorCost four = operator_costs(fabric, grouped(4), tiles, kRoom).back();
  const OperatorCost depthwise = operator_costs(fabric, grouped(64), tiles, kRoom).back();
  CHECK(four.cycles < whole.cycles);
  CHECK(depthwise.cycles < four.cycles);
  CHECK(depthwise.weights < whole.weights);
  // More groups than tiles: a tile does some one after another, and holds their filters.
  const OperatorWay way = operator_way(fabric, grouped(64), {3, 3}, kRoom, 0);
  REQUIRE(way.products.size() == 1);
  CHECK(way.products[0].turns * 9 >= 64);
  // Eight turns of a group on each tile take eight times as long as one.
  const auto cycles_of = [&](std::int64_t groups) {
    ConvOperator convolution = grouped(groups);
    convolution.in_channels = convolution.out_channels = groups;
    return operator_costs(fabric, convolution, {3, 3}, kRoom).front().cycles;
  };
  CHECK(cycles_of(72) == close_to(8 * cycles_of(9)).within(0.05));
  CHECK(way.products[0].rows == 56 * 56);
  CHECK(way.products[0].shape.k == 9);
  CHECK(way.products[0].shape.n == 1);
}

TEST_CASE("a product of activations keeps no weights, and waits for both sides") {
  const TileFabric fabric = wse2_fabric();
  const OperatorCost product = operator_costs(fabric, kProduct, {32, 32}, kRoom).front();
  const OperatorCost weighted =
      operator_costs(fabric, LinearOperator{1'024, 64, 128, false}, {32, 32}, kRoom).front();
  CHECK(product.weights == 0);
  CHECK(product.scratch > 0);
  CHECK(weighted.weights > 0);
  CHECK(product.cycles >
        matrix_roofline(fabric, OperatorKind(kProduct), {32, 32}) +
            as_double(kProduct.batch * kProduct.in_features * kProduct.out_features) / 2 / 4 / 32);
}

void check_alike(const OperatorKind& kind, const OperatorKind& other) {
  const TileFabric fabric = wse2_fabric();
  const TileGrid tiles{30, 50};
  const OperatorCosts costs = operator_costs(fabric, kind, tiles, kRoom);
  const OperatorCosts expected = operator_costs(fabric, other, tiles, kRoom);
  for (std::size_t budget = 0; budget < costs.size(); ++budget) {
    REQUIRE(costs[budget].is_possible() == expected[budget].is_possible());
    CHECK(costs[budget].cycles == expected[budget].cycles);
    CHECK(costs[budget].weights == expected[budget].weights);
    CHECK(costs[budget].scratch == expected[budget].scratch);
    CHECK(operator_way(fabric, kind, tiles, kRoom, budget).products.front().rows ==
          operator_way(fabric, other, tiles, kRoom, budget).products.front().rows);
  }
}

TEST_CASE("a gemm is a linear operator of its left side, or a product of activations") {
  check_alike(GemmOperator{1, 500, 300, 64, true}, LinearOperator{64, 300, 500, false});
  check_alike(GemmOperator{8, 128, 64, 120, false}, ProductOperator{8, 120, 64, 128});
}

TEST_CASE("kernels of graphs on 16 x 16 tiles, by hand") {
  const TileFabric bare = wse2_fabric().without_program();
  const TileGrid tiles{16, 16};
  const auto cycles = [&](const OperatorKind& kind) {
    const OperatorCost cost = operator_costs(bare, kind, tiles, kRoom).back();
    CHECK(cost.weights == 0);
    return cost.cycles;
  };
  // 100 numbers a tile, four at once, three operations.
  CHECK(cycles(ElementOperator{25'600, 3}) == 3 * 25);
  // 12,800 words, a quarter of them over 16 links of the middle either way; 16 hops, two ramps.
  const double spread = 12'800.0 / 4 / 16 + 16 + 2 * 2;
  CHECK(cycles(ExchangeOperator{25'600}) == spread);
  // A sum for each tile is added up there, of 256 others twice as many take two turns.
  CHECK(cycles(ReduceOperator{25'600, 256}) == spread + 25);
  CHECK(cycles(ReduceOperator{25'600, 512}) == spread + 2 * 13);
  // A single one also goes along the rows of tiles and along their columns.
  const double line = mesh_all_reduce(bare, 1, {.tiles = 16, .groups = 0}).parts.total();
  CHECK(line > 16 + 2 * 2);
  CHECK(cycles(ReduceOperator{25'600, 1}) == spread + 25 + 2 * line);
}

TEST_CASE("what does not fit is not offered") {
  const TileFabric fabric = wse2_fabric();
  // 64 · 9 · 64 weights of two bytes on 2 tiles: 36,864 bytes each, beside 2 · (288 + 64) numbers.
  CHECK(operator_costs(fabric, kBottleneck, {2, 1}, 36'864 + 1'408).back().is_possible());
  CHECK_FALSE(operator_costs(fabric, kBottleneck, {2, 1}, 36'864).back().is_possible());
  CHECK_FALSE(operator_costs(fabric, kBottleneck, {1, 1}, kRoom).back().is_possible());
}

TEST_CASE("an operator on one tile takes its local product and no words of neighbours") {
  const TileFabric bare = wse2_fabric().without_program();
  const LinearOperator small{4, 8, 16, false};
  const double cycles = operator_costs(bare, small, {1, 1}, kRoom).front().cycles;
  CHECK(cycles >= 4 * 8 * 16 / 4);
  // The gathered input: 4 rows of 4 words, a quarter of them over the cut, and the way.
  CHECK(cycles <= 4 * 8 * 16 / 4 + 4 + 4 + 5 + 2 * 12 + 5);
}

TEST_CASE("an operator's way has the copies that its weights take") {
  const TileFabric fabric = wse2_fabric();
  const TileGrid tiles{60, 60};
  const OperatorCosts costs = operator_costs(fabric, kBottleneck, tiles, kRoom);
  for (std::size_t budget = 0; budget < costs.size(); ++budget) {
    const OperatorWay way = operator_way(fabric, kBottleneck, tiles, kRoom, budget);
    REQUIRE(way.products.size() == 1);
    const ProductWay& product = way.products.front();
    const OperatorCost& cost = costs[budget].is_possible() ? costs[budget] : costs.back();
    REQUIRE(product.algorithm == GemmAlgorithm::weight_stationary);
    CHECK(cost.weights == 2 * parts_of(product.shape.k, product.part.rows) *
                              parts_of(product.shape.n, product.part.columns));
  }
}

TEST_CASE("a layer with a window has fewer keys in its products, and takes less") {
  const TileFabric fabric = wse2_fabric();
  const TileGrid tiles{60, 60};
  TransformerOperator windowed = kSmallLayer;
  windowed.attention_window = 32;
  const OperatorCost all = operator_costs(fabric, kSmallLayer, tiles, kRoom).back();
  const OperatorCost some = operator_costs(fabric, windowed, tiles, kRoom).back();
  CHECK(some.cycles < all.cycles);
  const OperatorWay way = operator_way(fabric, windowed, tiles, kRoom, 0);
  const auto scores =
      std::find_if(way.products.begin(), way.products.end(),
                   [](const ProductWay& product) { return product.name == "scores"; });
  REQUIRE(scores != way.products.end());
  CHECK(scores->shape.n == std::min<std::int64_t>(256, way.tokens + 32));
  // A window that holds all tokens is none.
  windowed.attention_window = 256;
  CHECK(operator_costs(fabric, windowed, tiles, kRoom).back().cycles == close_to(all.cycles));
}

TEST_CASE("a layer's products are those of its sizes, queries of a group together") {
  const OperatorWay way = operator_way(wse2_fabric(), kSmallLayer, {40, 40}, kRoom, 0);
  REQUIRE(way.products.size() == 6);
  const std::int64_t block = way.tokens;
  CHECK(way.products[0].shape.n == 512 + 2 * 128);
  CHECK(way.products[2].shape.n == 2 * 1'024);
  CHECK(way.products[4].shape.m == 4 * block);
  CHECK(way.products[4].shape.k == 64);
  CHECK(way.products[5].shape.k == 256);
}

TEST_CASE("a head hands on a number for each token, all others what they make") {
  CHECK(output_elements(HeadOperator{128, 5'000, 256, true}) == 128);
  CHECK(output_elements(kSmallLayer) == 256 * 512);
  CHECK(weight_bytes(wse2_fabric(), HeadOperator{128, 5'000, 256, true}) ==
        close_to(2.0 * 5'000 * 256));
}

}  // namespace
}  // namespace waferloom::planner
