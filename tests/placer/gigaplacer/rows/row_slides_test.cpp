#include "placer/gigaplacer/rows/row_slides.h"

#include <doctest/doctest.h>

#include "tests/placer/gigaplacer/laid_cases.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("row slides: a short row moves over to its connection, a flat kernel up to it") {
  // Kernels 3 × 5 and, 12 wide, a row of one of them that starts at the right wall.
  RowCase row(
      problem_data({dense(4, 4), dense(4, 4), dense(4, 4)}, {{0, 1}, {0, 2}}, Wafer{12, 12}));
  const RowTable table = row.table(4);
  RowLayout layout = lay_rows(table, {{RowSpan{0, 2}, 5}, {RowSpan{2, 3}, 7}});
  layout.kernels[2].execution = layout.kernels[0].execution;
  layout.kernels[2].rotated = false;
  layout.kernels[2].tiles = Rectangle{9, 6, 3, 5};
  REQUIRE(is_sound(row.problem, layout));
  CHECK(slide(graph_neighbours(row.problem), layout, false));
  CHECK(layout.kernels[0].tiles == Rectangle{6, 0, 3, 5});  // as far as its row has room
  CHECK(layout.kernels[2].tiles == Rectangle{6, 5, 3, 5});
  CHECK(is_sound(row.problem, layout));
  CHECK_FALSE(slide(graph_neighbours(row.problem), layout, false));
}

TEST_CASE("row slides: packing keeps the order") {
  RowCase row(problem_data({dense(4, 4), dense(4, 4)}, chain(2), Wafer{12, 5}));
  RowLayout layout = one_row(row, 4, 5, {1, 0});
  pack_row(layout, layout.rows[0], 6);
  CHECK(layout.kernels[1].tiles.x == 6);
  CHECK(layout.kernels[0].tiles.x == 9);
}

TEST_CASE("row slides: never longer, always sound, gaps help once more") {
  Draw draw(80);
  int shortened = 0;
  for (int round = 0; round < 120; ++round) {
    CAPTURE(round);
    const auto count = static_cast<std::size_t>(draw.between(2, 10));
    RowCase row(random_case(draw, count, Wafer{draw.between(20, 60), draw.between(20, 60)}));
    auto layout = random_layout(draw, row);
    if (!layout) continue;
    const Neighbours graph = graph_neighbours(row.problem);
    for (const bool open_gaps : {false, true}) {
      const Score before = layout_score(row.problem, *layout);
      const bool claimed = slide(graph, *layout, open_gaps);
      const Score after = layout_score(row.problem, *layout);
      CHECK(claimed == (after.half_distance < before.half_distance));
      CHECK(after.half_distance <= before.half_distance);
      CHECK(after.time == before.time);
      CHECK(after.adapter == before.adapter);
      CHECK(is_sound(row.problem, *layout));
      if (claimed) ++shortened;
    }
  }
  CHECK(shortened > 20);
}
