#include "kernels/mesh_operators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/laid_blocks.h"
#include "kernels/mesh_collectives.h"
#include "kernels/mesh_layers.h"
#include "kernels/tile_parts.h"
#include "tests/kernels/round_fabric.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;
using test::round_fabric;

TEST_CASE("attention of a prompt with a window goes by blocks of it, by hand") {
  const TileFabric fabric = round_fabric();
  const auto attention = [&](std::int64_t window, const TileGrid& tiles) {
    return mesh_prefill_attention(fabric, {64, 2, 8, 1, window}, 2,
                                  GemmAlgorithm::weight_stationary, tiles);
  };
  // Four blocks of 16 tokens for each of two heads, of 32 keys: scores, softmax and values.
  CHECK(attention(16, {8, 8}).multiply_adds == 2 * (4 * 16) * 32 * (8 + 3 + 8.0));
  CHECK(attention(0, {8, 8}).multiply_adds == 2 * 64 * 64 * (8 + 3 + 8.0));
  // On a single tile blocks take turns.
  CHECK(attention(16, {1, 1}).parts.local < attention(0, {1, 1}).parts.local);
  CHECK(attention(16, {8, 8}).parts.total() < attention(0, {8, 8}).parts.total());
  // A block and the one before it are all that there is.
  CHECK(attention(32, {8, 8}).parts.total() == close_to(attention(0, {8, 8}).parts.total()));
}

TEST_CASE("further normalisations are behind attention and the feed-forward network") {
  DecodeBlock block{{8, 1, 8}, 8, 1, 16};
  const LaidBlock two = laid_decode_block(round_fabric(), block, {2, 2}, 1 << 20);
  block.norms = 4;
  const LaidBlock four = laid_decode_block(round_fabric(), block, {2, 2}, 1 << 20);
  CHECK(four.operators.size() == two.operators.size() + 2);
  CHECK(four.operators[4].name == "norm");
  CHECK(four.parts.total() > two.parts.total());
}

TEST_CASE("the busiest link of SUMMA has the larger of both operands' blocks, step by step") {
  const auto words = [](const GemmShape& shape) {
    return mesh_gemm(round_fabric(), GemmAlgorithm::summa, shape, {2, 2}).words_per_link;
  };
  // Blocks of 32 x 4 on the left and 4 x 2 on the right, and the other way round.
  CHECK(words({64, 8, 4}) == close_to(2 * words({32, 8, 4})));
  CHECK(words({4, 8, 64}) == close_to(words({64, 8, 4})));
}

TEST_CASE("a star's root takes all words of the others in, one tile's after another's") {
  const auto ways = collective_ways(round_fabric(), MeshCollective::reduce, {1, 8}, 64);
  const auto star = std::find_if(ways.begin(), ways.end(),
                                 [](const CollectiveWay& way) { return way.name == "star"; });
  REQUIRE(star != ways.end());
  CHECK(star->words == close_to(7 * 64));
}

TEST_CASE("collectives on a line take what the published closed forms say") {
  const TileFabric line = round_fabric();
  const double words = 64;
  const std::int64_t tiles = 512;
  // HPDC'24 with T_R = 2: star B(P - 1) + 5, chain B + 6(P - 1), broadcast B + P + 4.
  const auto cycles = [&](LineReduction reduction) {
    return traffic_cycles(line, reduction_traffic(reduction, tiles, words));
  };
  CHECK(cycles(LineReduction::star) == close_to(64 * 511 + 5));
  CHECK(cycles(LineReduction::chain) == close_to(64 + 6 * 511));
  CHECK(traffic_cycles(line, broadcast_traffic(tiles, words)) == close_to(64 + 512 + 4));
  const LineTraffic two_phase = reduction_traffic(LineReduction::two_phase, 256, words);
  CHECK(two_phase.depth == close_to(2 * 16 - 2));
  CHECK(two_phase.contention == close_to(2 * words));
  CHECK(reduction_traffic(LineReduction::tree, 256, words).depth == close_to(8));
}

/// E(P, D) of HPDC'24 by trying every i.
double least_hops(std::int64_t tiles, std::int64_t depth) {
  if (tiles == 1) return 0;
  if (depth == 0) return std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 1; i < tiles; ++i) {
    least = std::min(least, least_hops(i, depth) + least_hops(tiles - i, depth - 1) + double(i));
  }
  return least;
}

TEST_CASE("the bound on reductions is the least over all depths") {
  const TileFabric line = round_fabric();
  for (std::int64_t tiles = 2; tiles <= 9; ++tiles) {
    for (const double words : {1.0, 3.0, 40.0}) {
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t depth = 1; depth < tiles; ++depth) {
        const double share = words * least_hops(tiles, depth) / double(tiles - 1);
        least = std::min(least, std::max({double(tiles - 1) + 5 + words - 1,
                                          6.0 * double(depth) + words - 1, share + 5}));
      }
      CAPTURE(tiles);
      CAPTURE(words);
      CHECK(least_reduction_cycles(line, tiles, words) == close_to(least));
    }
  }
}

TEST_CASE("no way to reduce takes fewer cycles than the bound says") {
  for (const double hop : {1.0, 2.0}) {
    TileFabric line = round_fabric();
    line.hop_cycles = hop;
    for (std::int64_t tiles = 1; tiles <= 300; tiles += tiles < 20 ? 1 : 17) {
      for (const double words : {1.0, 2.0, 16.0, 1000.0}) {
        const double least = least_reduction_cycles(line, tiles, words);
        for (const CollectiveWay& way :
             collective_ways(line, MeshCollective::reduce, {.rows = 1, .columns = tiles}, words)) {
          CAPTURE(tiles);
          CAPTURE(words);
          CAPTURE(way.name);
          CHECK(way.cycles() >= least);
        }
      }
    }
  }
}

TEST_CASE("an all-reduce picks a tree for few words and a ring or a chain for many") {
  const TileFabric line = round_fabric();
  const auto best = [&](double words) {
    return collective_ways(line, MeshCollective::all_reduce, {.rows = 1, .columns = 64}, words)
        .front()
        .name;
  };
  CHECK(best(1) == "two-way chain");
  CHECK(best(100'000) == "ring");
  const auto grid =
      collective_ways(line, MeshCollective::reduce, {.rows = 8, .columns = 8}, 1'000'000);
  CHECK(grid.front().name == "snake");
  CHECK(collective_ways(line, MeshCollective::broadcast, {.rows = 8, .columns = 8}, 10)
            .front()
            .cycles() == close_to(10 + 14 + 5));
}

TEST_CASE("a two-way chain ends where the measured programs' roots lie") {
  // 16 tiles in 8 groups: roots at 1 and 9. A stage inside, four among the groups; 1 + 8 hops to
  // the last root and 9 back.
  CHECK(two_way_chain({16, 8}).stages == 5);
  CHECK(two_way_chain({16, 8}).hops == 18);
  // 80 tiles in 2 groups: roots at 20 and 60.
  CHECK(two_way_chain({80, 2}).stages == 21);
  CHECK(two_way_chain({80, 2}).hops == 120);
  CHECK(two_way_chain({1}).stages == 0);
  // The last root takes in two chains of its group and two of roots, and sends once; of groups of
  // two tiles one, of a single group none.
  CHECK(two_way_chain({80, 4}).passes == 5);
  CHECK(two_way_chain({16, 8}).passes == 4);
  CHECK(two_way_chain({80, 1}).passes == 3);
  for (std::int64_t tiles = 2; tiles < 200; ++tiles) {
    CAPTURE(tiles);
    const std::int64_t best = two_way_chain({tiles}).stages;
    for (std::int64_t groups = 1; groups <= tiles; ++groups) {
      CHECK(best <= two_way_chain({tiles, groups}).stages);
    }
  }
}

TEST_CASE("products cost what their steps add up to") {
  // Blocks of 4x4x4: an update 5 + 4 (2 + 1) = 17, a product of four 68; 16 numbers are 8 words,
  // which two hops and two ramps take 6 cycles to bring. Two steps align A.
  const MeshOperator mesh =
      mesh_gemm(round_fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(mesh.parts.start == close_to(50 + (2 * 4 + 2) * 10));
  CHECK(mesh.parts.local == close_to(4 * 68));
  CHECK(mesh.parts.words == close_to(2 * 8));
  CHECK(mesh.parts.hops == close_to(2 * 6));
  CHECK(mesh.parts.total() == close_to(450));
  CHECK(mesh.bytes_per_tile == 5 * 16 * 2 + 1000);
  CHECK(mesh.multiply_adds == close_to(16 * 16 * 16));
  // Cannon's blocks go a hop; the last one's three hops back delay alignment once.
  const MeshOperator cannon =
      mesh_gemm(round_fabric(), GemmAlgorithm::cannon, {16, 16, 16}, {4, 4});
  CHECK(cannon.parts.total() == close_to(450 - 2 * 1 + 2));
  const MeshOperator summa = mesh_gemm(round_fabric(), GemmAlgorithm::summa, {8, 8, 8}, {2, 2});
  // Both broadcasts of a step are one phase.
  CHECK(summa.parts.total() == close_to((50 + 2 * 7) + 2 * 68 + 2 * (8 + 8 + 5) + 1));
  const MeshOperator stationary =
      mesh_gemm(round_fabric(), GemmAlgorithm::weight_stationary, {3, 8, 8}, {2, 2});
  CHECK(stationary.parts.total() ==
        close_to((50 + 14 + 3 + 5) + 3 * (5 + 4 * 3) + 4 + (1 + 4) + 1));
  const MeshOperator vector = mesh_gemv(round_fabric(), {8, 8}, {2, 2}, 1);
  // A stage and the broadcast go through ramps and an adder; two words in, two out.
  CHECK(vector.parts.total() == close_to((50 + 21 + 3 + 2 * 5) + 4 * 3 + 2 * 2 + 2));
  const MeshOperator few = mesh_gemm(round_fabric(), GemmAlgorithm::all_reduce, {1, 8, 8}, {2, 2});
  CHECK(few.parts.total() == close_to(vector.parts.total()));
  CHECK(mesh_shift(round_fabric(), 6, {2, 8}, 5).parts.total() ==
        close_to(50 + 5 * 20 + 5 * 3 * (1 + 2) + 5 * 5));
}

TEST_CASE("words that products do not hide take the link's time") {
  TileFabric quick = round_fabric();
  quick.cycles.update = 0;
  quick.cycles.vector = 0;
  quick.cycles.issue = 0.1;
  // A step's product takes 1.6 cycles, its 16 words through a ramp 16, their way 6; alignment moves
  // 8 words twice.
  const MeshOperator mesh = mesh_gemm(quick, GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(mesh.parts.local + mesh.parts.words == close_to(4 * 22 + 2 * 8));
}

TEST_CASE("what does not divide is padded, and rectangles work as their largest square") {
  const MeshOperator padded =
      mesh_gemm(round_fabric(), GemmAlgorithm::meshgemm, {13, 15, 14}, {4, 4});
  const MeshOperator whole =
      mesh_gemm(round_fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(padded.parts.total() == close_to(whole.parts.total()));
  CHECK(padded.multiply_adds == close_to(13 * 15 * 14));
  const MeshOperator wide =
      mesh_gemm(round_fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 9});
  CHECK(wide.used.columns == 4);
  CHECK(wide.parts.total() == close_to(whole.parts.total()));
}

TEST_CASE("operators beside products are vector operations and all-reduces") {
  // Two tiles: a stage, two hops; 50 + 3 * 7 + 3 to start, twice two ramps and an adder, two words
  // in and out again.
  CHECK(mesh_all_reduce(round_fabric(), 4, {.tiles = 2, .groups = 1}).parts.total() ==
        close_to(84 + 2 * 2 + 2));
  CHECK(mesh_all_reduce(round_fabric(), 4, {.tiles = 1, .groups = 1}).parts.total() == close_to(0));
  // Two tokens of eight features a tile, twice: a vector operation takes 2 + 2.
  CHECK(mesh_norm(round_fabric(), {2, 16}, {2, 1}, 1).parts.total() == close_to(88 + 2 * 2 * 4));
  // The largest, three multiplications of the exponential, the sum and scaling.
  CHECK(mesh_softmax(round_fabric(), {1, 8}, {2, 1}, 1).parts.total() == close_to(2 * 88 + 6 * 3));
  CHECK(mesh_element_wise(round_fabric(), {16, 2}, {2, 2}).parts.total() == close_to(50 + 2 * 3));
  // Blocks of 16 numbers are eight words, and the last row's link carries one.
  CHECK(mesh_transpose(round_fabric(), {8, 8}, {2, 2}).parts.total() == close_to(57 + 8 + 2 + 4));
  // Four tokens of four features a tile: scores, their sum along rows, softmax, values, their sum.
  const MeshOperator attention = mesh_decode_attention(round_fabric(), {8, 1, 8}, 1, {2, 2}, 1);
  CHECK(attention.parts.total() == close_to(12 + 90 + (2 * 88 + 18) + 12 + 90));
  CHECK(attention.bytes_per_tile == (2 * 16 + 4 + 2 * 4) * 2 + 1000);
}

TEST_CASE("the next broadcasts of a pipelined SUMMA run behind the product") {
  const auto summa = [](const TileFabric& fabric) {
    return mesh_gemm(fabric, GemmAlgorithm::pipelined_summa, {8, 8, 8}, {2, 2});
  };
  // Products of 68 cycles hide the second step's 16 words; the first come over two ramps.
  CHECK(summa(round_fabric()).parts.total() == close_to((50 + 2 * 7) + 2 * 68 + 16 + 4));
  TileFabric quick = round_fabric();
  quick.cycles.update = 0;
  quick.cycles.vector = 0;
  quick.cycles.issue = 0.1;
  // Of 1.6 cycles they hide next to nothing: of four steps the two in the middle take the longer of
  // their 16 words and half of eight hops, two ramps, words and a product.
  const MeshOperator four = mesh_gemm(quick, GemmAlgorithm::pipelined_summa, {16, 16, 16}, {4, 4});
  CHECK(four.parts.total() - four.parts.start == close_to(4 + 16 + 4 * 1.6 + 2 * (16 - 1.6)));
  // A second block of each operand.
  CHECK(summa(round_fabric()).bytes_per_tile ==
        mesh_gemm(round_fabric(), GemmAlgorithm::summa, {8, 8, 8}, {2, 2}).bytes_per_tile +
            std::int64_t{2} * 16 * 2);
}

TEST_CASE("scores move keys down the columns and add up along the rows") {
  TileFabric fabric = round_fabric();
  fabric.cycles.reduced_word = 0.5;
  // Four steps: an exchange, a phase, a product of 68, eight words, half a cycle more for
  // each; the last sums go three hops.
  const MeshOperator scores = mesh_scores(fabric, {16, 16, 16}, {4, 4});
  CHECK(scores.parts.start == close_to(50 + 4 * (10 + 7 + 8 * 0.5)));
  CHECK(scores.parts.local == close_to(4 * 68));
  CHECK(scores.parts.words == close_to(4 * 8));
  CHECK(scores.parts.hops == close_to(3 * (1 + 4 + 1)));
  CHECK(mesh_scores(fabric, {4, 4, 4}, {1, 1}).parts.total() == close_to(50 + 10 + 68));
}

TEST_CASE("a product with a vector by the vendor's library goes along a whole column and back") {
  TileFabric fabric = round_fabric();
  fabric.cycles.reduced_word = 0.5;
  // Two rows of four numbers: two vector operations; then three stages of an adder, two ramps, a
  // hop and the program's 3, of four sums of 32 bits; back in a broadcast.
  const MeshOperator gemv = mesh_library_gemv(fabric, {8, 16}, {4, 4});
  CHECK(gemv.parts.total() ==
        close_to((50 + 2 * 7 + 4 * 0.5) + 2 * 3 + 3 * (5 + 1 + 3) + 4 + (5 + 3 + 4)));
}

TEST_CASE("words of reductions and exponentials cost what the program says, and alignment once") {
  TileFabric fabric = round_fabric();
  fabric.cycles.reduced_word = 0.5;
  CHECK(mesh_all_reduce(fabric, 4, {.tiles = 2, .groups = 1}).parts.total() ==
        close_to(mesh_all_reduce(round_fabric(), 4, {.tiles = 2, .groups = 1}).parts.total() +
                 2 * 0.5));
  fabric = round_fabric();
  fabric.cycles.exponential = 20;
  CHECK(mesh_softmax(fabric, {1, 8}, {2, 1}, 1).parts.total() ==
        close_to(mesh_softmax(round_fabric(), {1, 8}, {2, 1}, 1).parts.total() + 4 * 20));
  // Three multiplications, a sum, a product, the product with the other half, of two numbers each.
  CHECK(mesh_activation(fabric, 2, true).parts.total() == close_to(50 + 6 * 3 + 2 * 20));
  const auto aligned = [](Alignment alignment) {
    return mesh_gemm(round_fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4}, alignment)
        .parts.total();
  };
  CHECK(aligned(Alignment::needed) - aligned(Alignment::done) == close_to(2 * (10 + 8 + 6)));
}

TEST_CASE("a block of a prompt aligns five of its products") {
  // Of 4 x 4 tiles. Eight products exchange two blocks in each of four steps, scores one; queries,
  // values, output, up and down are aligned in two exchanges each.
  PrefillBlock block{{16, 1, 16}, 16, 1, 32, true, false};
  const auto cycles = [&](double exchange) {
    TileFabric fabric = round_fabric();
    fabric.cycles.exchange = exchange;
    return mesh_prefill_block(fabric, block, GemmAlgorithm::meshgemm, {4, 4}).parts.total();
  };
  CHECK(cycles(11) - cycles(10) == close_to(8 * 8 + 4 + 5 * 2));
  // Joined, four products are left beside scores and values.
  block.joined = true;
  CHECK(cycles(11) - cycles(10) == close_to(5 * 8 + 4 + 5 * 2));
}

TEST_CASE("an algorithm has the figures of its program, or those of the program around it") {
  TileFabric fabric = round_fabric();
  const auto know = [&](TileProgram program, double TileCycles::*figure, double value) {
    const auto at = static_cast<std::size_t>(program);
    fabric.programs.cycles[at] = round_fabric().cycles;
    fabric.programs.cycles[at].*figure = value;
    fabric.programs.known.set(at);
  };
  know(TileProgram::waferllm_decode, &TileCycles::step, 1000);
  know(TileProgram::waferllm_prefill, &TileCycles::exchange, 1010);
  know(TileProgram::summa_4colour, &TileCycles::phase, 107);
  know(TileProgram::relay, &TileCycles::relay, 120);
  const TileGrid tiles{4, 4};
  const auto more = [&](const auto& cost) {
    return cost(fabric).parts.total() - cost(round_fabric()).parts.total();
  };
  // Thirteen steps of a layer that decodes; 78 exchanges of one of a prompt; four phases of SUMMA.
  CHECK(more([&](const TileFabric& of) {
          return mesh_decode_block(of, {{16, 1, 16}, 16, 1, 32}, tiles).whole;
        }) == close_to(13 * 1000));
  CHECK(more([&](const TileFabric& of) {
          return mesh_prefill_block(of, {{16, 1, 16}, 16, 1, 32, true, false},
                                    GemmAlgorithm::meshgemm, tiles);
        }) == close_to(78 * 1000));
  CHECK(more([&](const TileFabric& of) {
          return mesh_gemm(of, GemmAlgorithm::pipelined_summa, {16, 16, 16}, tiles);
        }) == close_to(4 * 100));
  CHECK(more([&](const TileFabric& of) {
          return mesh_shift(of, 6, {2, 8}, 5);
        }) == close_to(5 * 100));
  // Of the library nothing is known here: the figures around it hold.
  CHECK(more([&](const TileFabric& of) {
          return mesh_gemm(of, GemmAlgorithm::summa, {16, 16, 16}, tiles);
        }) == close_to(0));
  // A program may do fewer multiply-adds in an issue than the tile can.
  TileFabric narrow = round_fabric();
  narrow.cycles.lanes = 2;
  CHECK(vector_cycles(1, narrow, 8) == close_to(2 + 4));
  CHECK(narrow.without_program().issues_of(8) == close_to(2));
}

TEST_CASE("a block that decodes is the sum of its operators") {
  const DecodeBlock block{{8, 1, 8}, 8, 1, 16};
  const TileGrid tiles{2, 2};
  const DecodeBlockCost cost = mesh_decode_block(round_fabric(), block, tiles, 1);
  const auto total = [](const MeshOperator& part) { return part.parts.total(); };
  CHECK(cost.whole.parts.total() ==
        close_to(2 * total(mesh_norm(round_fabric(), {1, 8}, tiles, 1)) +
                 total(mesh_gemv(round_fabric(), {8, 24}, tiles, 1)) +
                 total(mesh_decode_attention(round_fabric(), {8, 1, 8}, 1, tiles, 1)) +
                 total(mesh_gemv(round_fabric(), {8, 8}, tiles, 1)) +
                 total(mesh_gemv(round_fabric(), {8, 32}, tiles, 1)) +
                 total(mesh_gemv(round_fabric(), {16, 8}, tiles, 1)) +
                 total(mesh_activation(round_fabric(), 8, true)) +
                 2 * total(mesh_element_wise(round_fabric(), {8, 1}, tiles))));
  CHECK(cost.communication > 10 * 70);  // ten all-reduces
  CHECK(cost.communication < cost.whole.parts.total());
  // Its own weights: 24 + 8 + 32 + 16 columns of 8 or 16 rows over four tiles, two bytes each.
  CHECK(cost.whole.bytes_per_tile > 1000 + 2 * (8 * 24 + 8 * 8 + 8 * 32 + 16 * 8) / 4);
}

}  // namespace
}  // namespace waferloom
