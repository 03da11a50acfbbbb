#include "kernels/layout_chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "kernels/laid_blocks.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

constexpr MatrixLayout kAllLayouts[] = {MatrixLayout::rows_down, MatrixLayout::rows_across,
                                        MatrixLayout::down_copied, MatrixLayout::across_copied};

TileFabric chain_fabric() {
  TileFabric result;
  result.cycles = {.start = 50,
                   .phase = 7,
                   .exchange = 10,
                   .chain_stage = 3,
                   .update = 5,
                   .vector = 2,
                   .issue = 1,
                   .step = 20,
                   .exponential = 30};
  result.lanes = 4;
  result.program_bytes = 1000;
  return result;
}

/// A chain of random operators: branch, two plain ones, sum.
std::vector<ChainOperator> random_chain(std::mt19937& random) {
  std::uniform_int_distribution<std::size_t> layout(0, 3);
  std::uniform_int_distribution<int> cycles(0, 400);
  std::vector<ChainOperator> chain;
  for (const ChainRole role :
       {ChainRole::branch, ChainRole::plain, ChainRole::plain, ChainRole::sum}) {
    ChainOperator op{"op", 64, 1, role, {}};
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
  const auto converted = [&](MatrixLayout from, MatrixLayout to) {
    if (from == to) return 0.0;
    return mesh_convert(tiles_fabric, from, to, 64, tokens, tiles).parts.total() +
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
          const double sum = op.role == ChainRole::sum ? converted(kept, way.in) : 0;
          go(at + 1, start, way.out, op.role == ChainRole::branch ? now : kept,
             cycles + converted(now, way.in) + sum + way.cost.parts.total() +
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

TEST_CASE("no number of samples is slower than the fixed order of layouts") {
  for (const TileGrid tiles : {TileGrid{8, 8}, TileGrid{8, 24}, TileGrid{30, 10}}) {
    for (const std::int64_t samples : {1, 2, 3, 7, 16, 64}) {
      CAPTURE(samples);
      const DecodeBlock block = small_block(samples);
      const double laid = laid_decode_block(chain_fabric(), block, tiles, kMuch).parts.total();
      CHECK(laid <=
            mesh_decode_block(chain_fabric(), block, tiles).whole.parts.total() * (1 + 1e-12));
    }
  }
  // Copies of many samples are worked on by every tile of a line; spread, each has its own part.
  const double many =
      laid_decode_block(chain_fabric(), small_block(64), {8, 8}, kMuch).parts.total();
  CHECK(many <
        0.9 * mesh_decode_block(chain_fabric(), small_block(64), {8, 8}).whole.parts.total());
}

TEST_CASE("a prompt takes the best algorithm for each product, and less room if it has to") {
  const PrefillBlock block{{64, 4, 16}, 64, 2, 128, true, true};
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

}  // namespace
}  // namespace waferloom
