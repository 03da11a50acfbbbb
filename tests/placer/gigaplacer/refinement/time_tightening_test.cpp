#include "placer/gigaplacer/refinement/time_tightening.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("time tightening: a row with height to spare gets faster at the same widths") {
  // Laid for time 4 as 3 × 5 with k = 1; in a row 5 high nothing faster is 3 wide. As 6 × 3
  // (c = 2, k = 2, time 4) in a row 5 high, c = 4 makes it time 2.
  RowCase row(problem_data({dense(4, 4)}, {}, Wafer{6, 5}));
  RowLayout layout = one_row(row, 4, 5, {0});
  CHECK_FALSE(tighten_time(row.cache, layout));
  LaidKernel& laid = layout.kernels[0];
  laid.execution.c[0] = 2;
  laid.execution.k[0] = 2;
  laid.tiles = Rectangle{0, 1, 6, 3};
  laid.rotated = false;
  REQUIRE(is_sound(row.problem, layout));
  CHECK(tighten_time(row.cache, layout));
  CHECK(layout_score(row.problem, layout).time == 2);
  CHECK(layout.kernels[0].tiles == Rectangle{0, 0, 6, 5});
}

TEST_CASE("time tightening: time falls exactly if it says so, nothing gets wider, all is legal") {
  Draw draw(120);
  int tightened = 0;
  for (int round = 0; round < 250; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(1, 8));
    RowCase row(random_case(draw, count, Wafer{draw.between(25, 80), draw.between(25, 80)}));
    auto layout = random_layout(draw, row);
    if (!layout) continue;
    const RowLayout original = *layout;
    const bool claimed = tighten_time(row.cache, *layout);
    const std::int64_t before = layout_score(row.problem, original).time;
    const std::int64_t after = layout_score(row.problem, *layout).time;
    CHECK(claimed == (after < before));
    CHECK(after <= before);
    for (KernelIndex i = 0; i < count; ++i) {
      CHECK(layout->kernels[i].tiles.width <= original.kernels[i].tiles.width);
    }
    CHECK(is_sound(row.problem, *layout));
    CHECK(is_legal(row.problem, to_placement(*layout, false)));
    if (claimed) ++tightened;
  }
  CHECK(tightened > 10);
}
