#include "kernels/operators/layout_chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "kernels/laid_blocks.h"
#include "tests/kernels/round_fabric.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

constexpr MatrixLayout kAllLayouts[] = {MatrixLayout::rows_down, MatrixLayout::rows_across,
                                        MatrixLayout::down_copied, MatrixLayout::across_copied};

TileFabric chain_fabric() {
  TileFabric result = test::round_fabric();
  result.cycles.step = 20;
  result.cycles.exponential = 30;
  return result;
}

/// A chain of random operators: branch, two plain ones, sum.
std::vector<ChainOperator> random_chain(std::mt19937& random) {
  std::uniform_int_distribution<std::size_t> layout(0, 3);
  std::uniform_int_distribution<int> cycles(0, 400);
  std::uniform_int_distribution<std::int64_t> features(1, 200);
  std::vector<ChainOperator> chain;
  for (const ChainRole role :
       {ChainRole::branch, ChainRole::plain, ChainRole::plain, ChainRole::sum}) {
    ChainOperator op{"op", features(random), 1, role, {}};
    for (int i = 0; i < 3; ++i) {
      LayoutWay way{kAllLayouts[layout(random)], kAllLayouts[layout(random)]};
      way.cost.parts.local = cycles(random);
      op.ways.push_back(way);
    }
    chain.push_back(std::move(op));
  }
  return chain;
}

/// Cycles of the best chain, by trying all ways of all operators from all beginnings.
double tried(const TileFabric& tiles_fabric, const std::vector<ChainOperator>& chain,
             std::int64_t tokens, const TileGrid& tiles) {
  const auto converted = [&](std::int64_t features, MatrixLayout from, MatrixLayout to) {
    if (from == to) return 0.0;
    return mesh_convert(tiles_fabric, from, to, {features, tokens}, tiles).parts.total() +
           tiles_fabric.cycles.step;
  };
  double best = std::numeric_limits<double>::infinity();
  std::function<void(std::size_t, MatrixLayout, MatrixLayout, MatrixLayout, double)> go =
      [&](std::size_t at, MatrixLayout start, MatrixLayout now, MatrixLayout kept, double cycles) {
        if (at == chain.size()) {
          if (now == start) best = std::min(best, cycles);
          return;
        }
        const ChainOperator& op = chain[at];
        for (const LayoutWay& way : op.ways) {
          const double sum = op.role == ChainRole::sum ? converted(op.features, kept, way.in) : 0;
          go(at + 1, start, way.out, op.role == ChainRole::branch ? now : kept,
             cycles + converted(op.features, now, way.in) + sum + way.cost.parts.total() +
                 tiles_fabric.cycles.step);
        }
      };
  for (const MatrixLayout start : kAllLayouts) go(0, start, start, start, 0);
  return best;
}

TEST_CASE("the best chain is the best of all that can be tried") {
  for (std::uint32_t i = 0; i < 300; ++i) {
    CAPTURE(i);
    std::mt19937 random(i);
    const std::vector<ChainOperator> chain = random_chain(random);
    const TileGrid tiles{8, i % 2 == 0 ? 8 : 12};
    const std::int64_t tokens = 1 + i % 20;
    const double least = tried(chain_fabric(), chain, tokens, tiles);
    const LayoutChain found = best_layouts(chain_fabric(), chain, tokens, tiles);
    CHECK(found.cycles == close_to(least));
    // Its steps add up to it.
    double sum = 0;
    for (std::size_t at = 0; at < chain.size(); ++at) {
      sum += chain[at].ways[found.steps[at].way].cost.parts.total() +
             found.steps[at].conversion.parts.total() + chain_fabric().cycles.step;
    }
    CHECK(sum == close_to(least));
  }
}

TEST_CASE("a layout flipped twice is the same") {
  for (const MatrixLayout layout : kAllLayouts) {
    CHECK(flipped(layout) != layout);
    CHECK(flipped(flipped(layout)) == layout);
  }
}

DecodeBlock small_block(std::int64_t samples) { return {{96, 4, 16, samples}, 64, 2, 128, true}; }

constexpr std::int64_t kMuch = 1'000'000;

TEST_CASE("a token alone goes through a square as the fixed order of layouts has it") {
  const TileGrid square{16, 16};
  const LaidBlock laid = laid_decode_block(chain_fabric(), small_block(1), square, kMuch);
  const double fixed =
      mesh_decode_block(chain_fabric(), small_block(1), square).whole.parts.total();
  CHECK(laid.parts.total() <= fixed * (1 + 1e-12));
  REQUIRE(laid.operators.size() == 10);
  double sum = 0;
  for (const LaidOperator& op : laid.operators) sum += op.parts.total();
  CHECK(sum == close_to(laid.parts.total()));
}

TEST_CASE("a norm that attention and feed-forward network share takes no time twice") {
  DecodeBlock block = small_block(4);
  const LaidBlock apart = laid_decode_block(chain_fabric(), block, {8, 8}, kMuch);
  block.norms = 1;
  const LaidBlock shared = laid_decode_block(chain_fabric(), block, {8, 8}, kMuch);
  REQUIRE(shared.operators.size() == apart.operators.size());
  REQUIRE(apart.operators[5].name == "norm");
  CHECK(shared.operators[5].name == "shared norm");
  CHECK(shared.operators[5].parts.total() == close_to(shared.operators[5].conversion));
  // At most what is left without the second norm in its layout.
  CHECK(shared.parts.total() <= apart.parts.total() - apart.operators[5].parts.total() +
                                    apart.operators[5].conversion + 1e-9);
}

TEST_CASE("few samples are as fast as in the fixed order of layouts, many are faster") {
  for (const TileGrid tiles : {TileGrid{8, 8}, TileGrid{8, 24}, TileGrid{30, 10}}) {
    for (const std::int64_t samples : {1, 2, 3, 7, 16, 64}) {
      CAPTURE(samples);
      const DecodeBlock block = small_block(samples);
      const double laid = laid_decode_block(chain_fabric(), block, tiles, kMuch).parts.total();
      // The fixed order spreads both sums over all tiles, though its vectors are copied.
      const std::int64_t own = samples * ((64 + tiles.rows - 1) / tiles.rows);
      const double sums =
          2 * (mesh_element_wise(chain_fabric(), {own, 1}, {1, 1}).parts.total() -
               mesh_element_wise(chain_fabric(), {samples * 64, 1}, tiles).parts.total());
      const double fixed = mesh_decode_block(chain_fabric(), block, tiles).whole.parts.total();
      CHECK(laid <= (fixed + sums) * (1 + 1e-12));
    }
  }
  // Copies of many samples are worked on by every tile of a line; spread, each has its own part.
  const double many =
      laid_decode_block(chain_fabric(), small_block(64), {8, 8}, kMuch).parts.total();
  CHECK(many <
        0.9 * mesh_decode_block(chain_fabric(), small_block(64), {8, 8}).whole.parts.total());
}

TEST_CASE("no room and no layouts make a token faster than the fastest ways of its operators") {
  for (const TileGrid tiles : {TileGrid{8, 8}, TileGrid{6, 20}, TileGrid{24, 5}, TileGrid{1, 1}}) {
    for (const std::int64_t samples : {1, 3, 40}) {
      CAPTURE(samples);
      const DecodeBlock block = small_block(samples);
      const double least = least_decode_cycles(chain_fabric(), block, tiles);
      for (const std::int64_t room : {std::int64_t{0}, std::int64_t{2000}, kMuch}) {
        const LaidBlock laid = laid_decode_block(chain_fabric(), block, tiles, room);
        CHECK(least <= laid.parts.total() * (1 + 1e-12));
        // What is left out are conversions and, with less room, faster ways.
        double converting = 0;
        for (const LaidOperator& op : laid.operators) converting += op.conversion;
        if (room == kMuch) CHECK(least >= 0.5 * (laid.parts.total() - converting));
      }
    }
  }
}

TEST_CASE("a prompt takes the best algorithm for each product, and less room if it has to") {
  const PrefillBlock block{{1024, 4, 16}, 64, 2, 128, true, true};
  const TileGrid tiles{12, 16};
  const LaidBlock free = laid_prefill_block(chain_fabric(), block, tiles, kMuch);
  const LaidBlock thrifty = laid_prefill_block(chain_fabric(), block, tiles, 0);
  CHECK(thrifty.largest <= free.largest);
  CHECK(thrifty.parts.total() >= free.parts.total());
  for (const LaidOperator& op : free.operators) {
    CHECK(op.conversion >= 0);
    CHECK(op.conversion < op.parts.total());
  }
  // Layouts meet: a conversion stands wherever what is left is not what is taken.
  for (std::size_t i = 1; i < free.operators.size(); ++i) {
    const bool meets = free.operators[i - 1].out == free.operators[i].in;
    if (!meets) CHECK(free.operators[i].conversion > 0);
  }
}

TEST_CASE("products take and leave the layouts of their algorithms") {
  const auto expect = [](bool turned, std::size_t at, std::string_view how, MatrixLayout in,
                         MatrixLayout out) {
    const LayoutWay way = product_ways(chain_fabric(), 6, 40, 24, {4, 8}, turned).at(at);
    CHECK(way.how == how);
    CHECK(way.in == in);
    CHECK(way.out == out);
    // 40x24 weights over 4x8 tiles, or over 8x4 with the input over columns; two bytes each.
    const std::int64_t block = turned ? std::int64_t{5} * 6 : std::int64_t{10} * 3;
    CHECK(way.kept == 2 * block);
  };
  using enum MatrixLayout;
  expect(false, 0, "weight-stationary", rows_down, rows_across);
  expect(true, 0, "weight-stationary", rows_across, rows_down);
  expect(false, 1, "pipelined-summa", rows_across, rows_across);
  expect(true, 1, "pipelined-summa", rows_down, rows_down);
  expect(false, 2, "all-reduce", down_copied, across_copied);
  expect(true, 2, "all-reduce", across_copied, down_copied);
}

/// Features of what an operator of small_block takes.
std::int64_t taken_features(std::string_view name) {
  if (name == "attention") return 128;
  if (name == "gate") return 256;
  if (name == "feed-forward out") return 128;
  return 64;
}

TEST_CASE("operands are brought whole into the layout of their operator") {
  const TileFabric tiles_fabric = chain_fabric();
  int conversions = 0;
  const auto check = [&](const LaidBlock& block, std::int64_t tokens, const TileGrid& tiles) {
    MatrixLayout now = block.start;
    for (const LaidOperator& op : block.operators) {
      CAPTURE(op.name);
      if (op.name != "sum") {
        const double moved = now == op.in ? 0
                                          : mesh_convert(tiles_fabric, now, op.in,
                                                         {taken_features(op.name), tokens}, tiles)
                                                    .parts.total() +
                                                tiles_fabric.cycles.step;
        CHECK(op.conversion == close_to(moved));
        conversions += now == op.in ? 0 : 1;
      }
      now = op.out;
    }
    CHECK(now == block.start);
  };
  for (const TileGrid tiles : {TileGrid{8, 8}, TileGrid{6, 20}, TileGrid{24, 5}}) {
    for (const std::int64_t tokens : {1, 5, 40, 128}) {
      CAPTURE(tokens);
      check(laid_decode_block(tiles_fabric, small_block(tokens), tiles, kMuch), tokens, tiles);
      const PrefillBlock prompt{{tokens, 4, 16}, 64, 2, 128, true, true};
      check(laid_prefill_block(tiles_fabric, prompt, tiles, kMuch), tokens, tiles);
    }
  }
  CHECK(conversions > 0);
}

TEST_CASE("a sum works on all that a tile holds, and what it adds is kept till then") {
  // A token alone on 8x8 tiles: vectors of 64 features lie eight a tile, copied along rows.
  const LaidBlock block = laid_decode_block(chain_fabric(), small_block(1), {8, 8}, kMuch);
  const LaidOperator& sum = block.operators.back();
  REQUIRE(sum.in == MatrixLayout::down_copied);
  CHECK(sum.parts.local == close_to(2 + 2));  // a vector operation, two issues of four
  std::int64_t kept = 0;
  for (const MeshOperator& op :
       {mesh_norm(chain_fabric(), {1, 64}, {8, 8}), mesh_norm(chain_fabric(), {1, 64}, {8, 8})}) {
    kept += op.bytes_per_tile - 1000;
  }
  // At least both norms and, twice, eight features of two bytes for the sums.
  CHECK(block.vectors >= kept + std::int64_t{2} * 8 * 2);
}

}  // namespace
}  // namespace waferloom
