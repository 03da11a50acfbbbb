#include "placer/bounds/wire_bound.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>

#include "placer/bounds/bounds.h"
#include "placer/place.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("blocks of a triangle with a tail are the triangle and the tail") {
  const std::vector<KernelFormal> formals(4, test::dense(2, 2));
  const Problem problem(
      test::problem_data(formals, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {2, 3}}, Wafer{30, 30}));
  const BlockForest forest = block_forest(problem);
  REQUIRE(forest.blocks.size() == 2);
  CHECK(forest.roots == std::vector<KernelIndex>{0});
  CHECK(forest.blocks[0].kernels == std::vector<KernelIndex>{2, 3});
  CHECK(forest.blocks[1].kernels == std::vector<KernelIndex>{0, 1, 2});
  CHECK(forest.edges.size() == 4);
  CHECK(forest.edges.back().count == 2);
}

/// A kernel of one shape, as a problem's list of options.
KernelFormal block(std::int64_t width, std::int64_t height) {
  ShapeOption option;
  option.width = width;
  option.height = height;
  return ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(1, option)};
}

std::int64_t bound_of(const std::vector<KernelFormal>& blocks, const test::Edges& edges) {
  ProblemData data = test::problem_data(blocks, edges, Wafer{40, 40});
  data.weights.time = decimal6(0);
  const Problem problem(data);
  const auto bounds = lower_bounds(problem);
  return static_cast<std::int64_t>(bounds.value().total / CostModel(problem).per_half_distance());
}

TEST_CASE("once stopped the wire bound knows nothing") {
  const Problem problem = test::medium_problem(4, Weights{}, 2);
  const ShapeLibrary library(problem);
  const PortClasses classes(library);
  const WireGraph graph(problem);
  std::atomic<bool> interrupted = false;
  WireBound wire(library, classes, graph, test::roomy_time(library), WirePrices{1, 1, 0},
                 RunControl{.stop = &interrupted});
  REQUIRE(wire.complete());
  CHECK(wire.at(0).has_value());
  interrupted = true;
  CHECK_FALSE(wire.at(0).has_value());
}

TEST_CASE("a triangle costs its thin sides and the least of them once more") {
  const test::Edges triangle{{0, 1}, {1, 2}, {0, 2}};
  CHECK(bound_of({block(4, 9), block(3, 9), block(5, 9)}, triangle) == 2 * (12 + 3));
}

TEST_CASE("parity is not charged on top of a triangle") {
  // 3×4 beside two stacked 3×3: the edges are 4.5, 4.5 and 3 tiles long.
  CHECK(bound_of({block(3, 4), block(3, 3), block(3, 3)}, {{0, 1}, {0, 2}, {1, 2}}) == 24);
}

TEST_CASE("an edge pays half a tile for long sides of different parity") {
  CHECK(bound_of({block(2, 9), block(4, 8)}, {{0, 1}}) == 6 + 1);
  CHECK(bound_of({block(2, 9), block(4, 7)}, {{0, 1}}) == 6);
}

TEST_CASE("four kernels in a cycle") {
  const test::Edges cycle{{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  // Squares stand two by two, long ones in a row or around a corner.
  CHECK(bound_of({block(4, 4), block(4, 4), block(4, 4), block(4, 4)}, cycle) == 2 * 16);
  CHECK(bound_of({block(2, 30), block(2, 30), block(2, 30), block(2, 30)}, cycle) == 2 * (8 + 4));
}

TEST_CASE("three neighbours do not all stand at the long sides of a kernel") {
  const test::Edges star{{0, 1}, {0, 2}, {0, 3}};
  // Base: 3/2·2 + 3/2·4 tiles; one more thin side of 4, or half of 30 − 2.
  CHECK(bound_of({block(2, 30), block(4, 8), block(4, 8), block(4, 8)}, star) == 6 + 12 + 8);
  CHECK(bound_of({block(4, 4), block(4, 8), block(4, 8), block(4, 8)}, star) == 12 + 12);
}

TEST_CASE("a star's kernel may be square where a longer shape is smaller") {
  // Under time 7 the kernel in the middle takes 3×101, 9×52, 12×36 or 16×21 tiles: the last is the
  // largest, and the only one that is not long.
  ShapeOption option;
  option.width = option.height = 25;
  option.time_millionths = 7'000'000;
  const KernelFormal neighbour =
      ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(1, option)};
  ProblemData data =
      test::problem_data({ConvFormal{1, 1, 1, 1, 100, 7, 1, 1}, neighbour, neighbour, neighbour},
                         {{0, 1}, {0, 2}, {0, 3}}, Wafer{120, 120});
  data.weights.time = decimal6(1000);
  const Problem problem(data);
  Placement placement;
  Execution middle;
  middle.c[0] = 15;
  middle.k[0] = 7;
  placement.kernels = {
      PlacedKernel{middle, 40, 40, true}, PlacedKernel{option_execution(1), 15, 38},
      PlacedKernel{option_execution(1), 56, 38}, PlacedKernel{option_execution(1), 35, 63}};
  REQUIRE(test::violations(problem, placement) == 0);
  const Score score = waferloom::score(problem, placement);
  CHECK(score.half_distance == 133);
  CHECK(lower_bounds(problem).value().total <= CostModel(problem).total(score));
}

}  // namespace
}  // namespace waferloom::placer
