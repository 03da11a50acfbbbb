#include "kernels/mesh_operators.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "kernels/mesh_collectives.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

/// Round figures, so that every total below is worked out by hand.
TileFabric fabric() {
  TileFabric result;
  result.cycles = {.start = 50,
                   .phase = 7,
                   .exchange = 10,
                   .exchange_word = 0.5,
                   .relay = 20,
                   .relay_word = 2,
                   .chain_stage = 3,
                   .chain_element = 0.25,
                   .update = 5,
                   .vector = 2,
                   .issue = 1};
  result.lanes = 4;
  result.program_bytes = 1000;
  return result;
}

TEST_CASE("collectives on a line take what the published closed forms say") {
  const TileFabric line = fabric();
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

TEST_CASE("no reduction takes fewer cycles than the bound says") {
  for (const double hop : {1.0, 2.0}) {
    TileFabric line = fabric();
    line.hop_cycles = hop;
    for (std::int64_t tiles = 1; tiles <= 300; tiles += tiles < 20 ? 1 : 17) {
      for (const double words : {1.0, 2.0, 16.0, 1000.0}) {
        CAPTURE(tiles);
        CAPTURE(words);
        const double least = least_reduction_cycles(line, tiles, words);
        for (std::size_t i = 0; i < kLineReductionNames.size(); ++i) {
          const auto reduction = static_cast<LineReduction>(i);
          if (reduction == LineReduction::star && words * double(tiles - 1) < double(tiles)) {
            continue;  // the closed form of a star leaves the way out
          }
          CHECK(traffic_cycles(line, reduction_traffic(reduction, tiles, words)) >= least);
        }
      }
    }
  }
}

TEST_CASE("a two-way chain ends where the measured programs' roots lie") {
  // 16 tiles in 8 groups: roots at 1 and 9. A stage inside, four among the groups; 1 + 8 hops to
  // the last root and 9 back.
  CHECK(two_way_chain(16, 8).stages == 5);
  CHECK(two_way_chain(16, 8).hops == 18);
  // 80 tiles in 2 groups: roots at 20 and 60.
  CHECK(two_way_chain(80, 2).stages == 21);
  CHECK(two_way_chain(80, 2).hops == 120);
  CHECK(two_way_chain(1).stages == 0);
  for (std::int64_t tiles = 2; tiles < 200; ++tiles) {
    CAPTURE(tiles);
    const std::int64_t best = two_way_chain(tiles).stages;
    for (std::int64_t groups = 1; groups <= tiles; ++groups) {
      CHECK(best <= two_way_chain(tiles, groups).stages);
    }
  }
}

TEST_CASE("products cost what their steps add up to") {
  // Blocks of 4x4x4: an update 5 + 4 (2 + 1) = 17, a product of four 68; 16 numbers are 8 words.
  const MeshOperator mesh = mesh_gemm(fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(mesh.parts.start == close_to(50 + (2 * 4 + 2) * 10));
  CHECK(mesh.parts.local == close_to(4 * 68));
  CHECK(mesh.parts.words == close_to(4 * 0.5 * 8));
  CHECK(mesh.parts.total() == close_to(438));
  CHECK(mesh.bytes_per_tile == 5 * 16 * 2 + 1000);
  CHECK(mesh.multiply_adds == close_to(16 * 16 * 16));
  // Cannon's last block goes back over three hops a step.
  const MeshOperator cannon = mesh_gemm(fabric(), GemmAlgorithm::cannon, {16, 16, 16}, {4, 4});
  CHECK(cannon.parts.total() == close_to(438 + 4 * 3));
  const MeshOperator summa = mesh_gemm(fabric(), GemmAlgorithm::summa, {8, 8, 8}, {2, 2});
  CHECK(summa.parts.total() == close_to((50 + 2 * 2 * 7) + 2 * 68 + 2 * (8 + 8) + 1));
  const MeshOperator stationary =
      mesh_gemm(fabric(), GemmAlgorithm::weight_stationary, {3, 8, 8}, {2, 2});
  CHECK(stationary.parts.total() == close_to((50 + 14 + 3) + 3 * (5 + 4 * 3) + 3 * 4 * 0.25 + 2));
  const MeshOperator vector = mesh_gemv(fabric(), 8, 8, {2, 2}, 1);
  CHECK(vector.parts.total() == close_to((50 + 21 + 3) + 4 * 3 + 1 + 2));
  CHECK(mesh_shift(fabric(), 6, 5, {2, 8}).parts.total() == close_to(50 + 5 * 20 + 5 * 3 * 2));
}

TEST_CASE("words that products do not hide take the link's time") {
  TileFabric quick = fabric();
  quick.cycles.update = 0;
  quick.cycles.vector = 0;
  quick.cycles.issue = 0.1;
  // A step's product takes 1.6 cycles, its 8 words 8.
  const MeshOperator mesh = mesh_gemm(quick, GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(mesh.parts.local + mesh.parts.words == close_to(4 * 8));
}

TEST_CASE("what does not divide is padded, and rectangles work as their largest square") {
  const MeshOperator padded = mesh_gemm(fabric(), GemmAlgorithm::meshgemm, {13, 15, 14}, {4, 4});
  const MeshOperator whole = mesh_gemm(fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 4});
  CHECK(padded.parts.total() == close_to(whole.parts.total()));
  CHECK(padded.multiply_adds == close_to(13 * 15 * 14));
  const MeshOperator wide = mesh_gemm(fabric(), GemmAlgorithm::meshgemm, {16, 16, 16}, {4, 9});
  CHECK(wide.used.columns == 4);
  CHECK(wide.parts.total() == close_to(whole.parts.total()));
}

TEST_CASE("operators beside products are vector operations and all-reduces") {
  // Two tiles: a stage, two hops; 50 + 3 * 7 + 3 to start, a quarter of a cycle an element.
  CHECK(mesh_all_reduce(fabric(), 4, 2, 1).parts.total() == close_to(74 + 1 + 2));
  CHECK(mesh_all_reduce(fabric(), 4, 1, 1).parts.total() == close_to(0));
  // Two tokens of eight features a tile, twice: a vector operation takes 2 + 2.
  CHECK(mesh_norm(fabric(), 2, 16, {2, 1}, 1).parts.total() == close_to(76.5 + 2 * 2 * 4));
  CHECK(mesh_softmax(fabric(), 1, 8, {2, 1}, 1).parts.total() == close_to(2 * 76.25 + 3 * 3));
  CHECK(mesh_element_wise(fabric(), 16, 2, {2, 2}).parts.total() == close_to(50 + 2 * 3));
  // Blocks of 16 numbers are eight words, and the last row's link carries one.
  CHECK(mesh_transpose(fabric(), 8, 8, {2, 2}).parts.total() == close_to(57 + 8 + 2));
  // Four tokens of four features a tile: scores, their sum along rows, softmax, values, their sum.
  const MeshOperator attention = mesh_decode_attention(fabric(), {8, 1, 8}, 1, {2, 2}, 1);
  CHECK(attention.parts.total() == close_to(12 + 77 + (2 * 76.25 + 9) + 12 + 77));
  CHECK(attention.bytes_per_tile == (2 * 16 + 4 + 2 * 4) * 2 + 1000);
}

TEST_CASE("a block that decodes is the sum of its operators") {
  const DecodeBlock block{{8, 1, 8}, 8, 1, 16};
  const TileGrid tiles{2, 2};
  const DecodeBlockCost cost = mesh_decode_block(fabric(), block, tiles, 1);
  const auto total = [](const MeshOperator& part) { return part.parts.total(); };
  CHECK(cost.whole.parts.total() ==
        close_to(2 * total(mesh_norm(fabric(), 1, 8, tiles, 1)) +
                 total(mesh_gemv(fabric(), 8, 24, tiles, 1)) +
                 total(mesh_decode_attention(fabric(), {8, 1, 8}, 1, tiles, 1)) +
                 total(mesh_gemv(fabric(), 8, 8, tiles, 1)) +
                 total(mesh_gemv(fabric(), 8, 32, tiles, 1)) +
                 total(mesh_gemv(fabric(), 16, 8, tiles, 1)) +
                 total(mesh_element_wise(fabric(), 16, 2, tiles)) +
                 2 * total(mesh_element_wise(fabric(), 8, 1, tiles))));
  CHECK(cost.communication > 10 * 70);  // ten all-reduces
  CHECK(cost.communication < cost.whole.parts.total());
  // Its own weights: 24 + 8 + 32 + 16 columns of 8 or 16 rows over four tiles, two bytes each.
  CHECK(cost.whole.bytes_per_tile > 1000 + 2 * (8 * 24 + 8 * 8 + 8 * 32 + 16 * 8) / 4);
}

}  // namespace
}  // namespace waferloom
