#include "placer/gigaplacer/refinement/distance_refinement.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

namespace {

/// Least distance of one row over all orders of its kernels, packed from x = 0.
std::int64_t least_by_trial(const Problem& problem, RowLayout layout) {
  std::vector<KernelIndex>& kernels = layout.rows[0].kernels;
  std::sort(kernels.begin(), kernels.end());
  std::int64_t least = -1;
  do {
    std::int64_t x = 0;
    for (const KernelIndex kernel : kernels) {
      layout.kernels[kernel].tiles.x = x;
      x += layout.kernels[kernel].tiles.width;
    }
    const std::int64_t wire = layout_score(problem, layout).half_distance;
    if (least < 0 || wire < least) least = wire;
  } while (std::next_permutation(kernels.begin(), kernels.end()));
  return least;
}

}  // namespace

TEST_CASE("distance refinement: a shuffled row of six gets its best order") {
  Draw draw(90);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 6));
    ProblemData data = random_case(draw, count, Wafer{400, 100});
    RowCase row(std::move(data));
    std::vector<KernelIndex> kernels;
    for (KernelIndex i = 0; i < count; ++i) kernels.push_back(i);
    for (std::size_t i = count - 1; i > 0; --i) {
      std::swap(kernels[i],
                kernels[static_cast<std::size_t>(draw.between(0, static_cast<std::int64_t>(i)))]);
    }
    RowLayout layout = one_row(row, 400 * row.problem.time_denominator(), 30, kernels);
    REQUIRE(is_sound(row.problem, layout));
    const std::int64_t expected = least_by_trial(row.problem, layout);
    const std::int64_t before = layout_score(row.problem, layout).half_distance;
    CHECK(refine_distance(graph_neighbours(row.problem), layout) == (expected < before));
    CHECK(layout_score(row.problem, layout).half_distance == expected);
    CHECK(is_sound(row.problem, layout));
  }
}

TEST_CASE("distance refinement: a long run laid backwards is reversed") {
  // A chain of nine; the seven in the middle stand in the wrong direction: no window of six
  // mends that at once, a reversal does. Kernels are 3 wide: a perfect chain is 8·3 tiles long.
  RowCase row(problem_data(std::vector<KernelFormal>(9, dense(4, 4)), chain(9), Wafer{27, 5}));
  RowLayout layout = one_row(row, 4, 5, {0, 7, 6, 5, 4, 3, 2, 1, 8});
  CHECK(layout_score(row.problem, layout).half_distance == 2 * (21 + 18 + 21));
  CHECK(refine_distance(graph_neighbours(row.problem), layout));
  CHECK(layout_score(row.problem, layout).half_distance == 2 * 24);
  CHECK_FALSE(refine_distance(graph_neighbours(row.problem), layout));
}

TEST_CASE("distance refinement: never longer, shapes and rows stay") {
  Draw draw(91);
  int shortened = 0;
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 14));
    RowCase row(random_case(draw, count, Wafer{draw.between(25, 80), draw.between(25, 80)}));
    auto layout = random_layout(draw, row);
    if (!layout) continue;
    const RowLayout original = *layout;
    const bool claimed = refine_distance(graph_neighbours(row.problem), *layout);
    const Score before = layout_score(row.problem, original);
    const Score after = layout_score(row.problem, *layout);
    CHECK(claimed == (after.half_distance < before.half_distance));
    CHECK(after.half_distance <= before.half_distance);
    CHECK(is_sound(row.problem, *layout));
    for (KernelIndex i = 0; i < count; ++i) {
      CHECK(layout->kernels[i].execution == original.kernels[i].execution);
      CHECK(layout->kernels[i].tiles.y == original.kernels[i].tiles.y);
    }
    if (claimed) ++shortened;
  }
  CHECK(shortened > 10);
}
