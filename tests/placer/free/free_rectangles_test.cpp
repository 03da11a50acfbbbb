#include "placer/free/free_rectangles.h"

#include <doctest/doctest.h>

#include "placer/shapes/clear_space.h"
#include "tests/placer/free/tile_grid.h"

namespace waferloom::placer {
namespace {

TEST_CASE("after any covers all maximal free rectangles are there") {
  test::Draw draw(51);
  for (int round = 0; round < 200; ++round) {
    INFO("round ", round);
    Wafer wafer{draw.between(1, 10), draw.between(1, 10)};
    if (round % 2 == 1) wafer.dead.push_back(test::random_rectangle(draw, wafer, 4));
    test::TileGrid grid(wafer);
    FreeRectangles free(clear_windows(wafer, 1'000).windows);
    for (int cover = 0; cover < 8; ++cover) {
      const Rectangle tiles = test::random_rectangle(draw, wafer, 5);
      grid.cover(tiles);
      free.cover(tiles);
      CHECK(test::sorted(free.all()) == test::sorted(grid.maximal_free()));
    }
  }
}

TEST_CASE("tiles in the middle leave four strips") {
  FreeRectangles free({{0, 0, 9, 7}});
  free.cover({3, 2, 4, 1});
  CHECK(test::sorted(free.all()) ==
        std::vector<Rectangle>{{0, 0, 3, 7}, {0, 0, 9, 2}, {0, 3, 9, 4}, {7, 0, 2, 7}});
}

TEST_CASE("covering everything leaves nothing, and covering nothing leaves all") {
  FreeRectangles free({{0, 0, 9, 7}});
  free.cover({9, 0, 3, 7});
  CHECK(free.all() == std::vector<Rectangle>{{0, 0, 9, 7}});
  free.cover({-1, -1, 11, 9});
  CHECK(free.all().empty());
}

}  // namespace
}  // namespace waferloom::placer
