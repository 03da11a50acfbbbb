#include "placer/gigaplacer/rows/row_layout.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("row layout: two rows in snake order") {
  // Each is 3 wide and 5 high in time 4; rows of two, the upper one from right to left.
  RowCase row(problem_data(std::vector<KernelFormal>(4, dense(4, 4)), chain(4), Wafer{6, 11}));
  const RowLayout layout = lay_rows(row.table(4), {{RowSpan{0, 2}, 5}, {RowSpan{2, 4}, 6}});
  CHECK(layout.kernels[0].tiles == Rectangle{0, 0, 3, 5});
  CHECK(layout.kernels[1].tiles == Rectangle{3, 0, 3, 5});
  CHECK(layout.kernels[2].tiles == Rectangle{3, 5, 3, 5});
  CHECK(layout.kernels[3].tiles == Rectangle{0, 5, 3, 5});
  CHECK(layout.rows[1].kernels == std::vector<KernelIndex>{3, 2});
  CHECK(is_sound(row.problem, layout));
  CHECK(layout_score(row.problem, layout) == Score{4, 6 + 10 + 6, 0});
}

TEST_CASE("row layout: two rows, both from left to right") {
  RowCase row(problem_data(std::vector<KernelFormal>(4, dense(4, 4)), chain(4), Wafer{6, 11}));
  const RowPlan plan{{RowSpan{0, 2}, 5}, {RowSpan{2, 4}, 6}};
  const RowLayout layout = lay_rows(row.table(4), plan, RowCourse::rightward);
  CHECK(layout.kernels[2].tiles == Rectangle{0, 5, 3, 5});
  CHECK(layout.kernels[3].tiles == Rectangle{3, 5, 3, 5});
  CHECK(is_sound(row.problem, layout));
  CHECK(layout_score(row.problem, layout) == Score{4, 6 + (6 + 10) + 6, 0});  // back, and up
}

TEST_CASE("row layout: soundness sees what is broken") {
  RowCase row(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{6, 5}));
  const RowLayout good = lay_rows(row.table(4), {{RowSpan{0, 2}, 5}});
  REQUIRE(is_sound(row.problem, good));
  RowLayout overlapping = good;
  overlapping.kernels[1].tiles.x = 2;
  CHECK_FALSE(is_sound(row.problem, overlapping));
  RowLayout outside = good;
  outside.kernels[1].tiles.x = 4;
  CHECK_FALSE(is_sound(row.problem, outside));
  RowLayout twice = good;
  twice.rows[0].kernels = {0, 0};
  CHECK_FALSE(is_sound(row.problem, twice));
  RowLayout high = good;
  high.kernels[0].tiles.y = 1;
  CHECK_FALSE(is_sound(row.problem, high));
  RowLayout grown = good;
  grown.kernels[1].tiles.width = 2;
  CHECK_FALSE(is_sound(row.problem, grown));
}

TEST_CASE("row layout: legal on random graphs, upright as well") {
  Draw draw(70);
  int laid = 0;
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(1, 9));
    ProblemData data = random_case(draw, count, Wafer{draw.between(15, 50), draw.between(15, 60)});
    ProblemData mirrored = data;
    std::swap(mirrored.wafer.width, mirrored.wafer.height);
    RowCase row(std::move(data));
    const auto layout = random_layout(draw, row);
    if (!layout) continue;
    ++laid;
    CHECK(is_sound(row.problem, *layout));
    const Problem upright(std::move(mirrored));
    CHECK(is_legal(row.problem, to_placement(*layout, false)));
    CHECK(is_legal(upright, to_placement(*layout, true)));
    CHECK(score(row.problem, to_placement(*layout, false)) ==
          score(upright, to_placement(*layout, true)));
  }
  CHECK(laid > 40);
}
