#include "model/wafer.h"

#include <doctest/doctest.h>

namespace waferloom {

TEST_CASE("usable tiles are those of no dead rectangle, however they overlap") {
  CHECK(usable_tiles(Wafer{7, 5}) == 35);
  CHECK(usable_tiles(Wafer{7, 5, {{0, 0, 2, 3}, {1, 1, 3, 1}, {0, 0, 2, 3}}}) == 35 - 6 - 2);
  CHECK(usable_tiles(Wafer{7, 5, {{0, 0, 7, 5}}}) == 0);
  CHECK(usable_tiles(Wafer{32'000, 32'000, {{31'999, 31'999, 1, 1}}}) == 1'023'999'999);
}

TEST_CASE("what rectangles cover outside of one is cut into others, each tile once") {
  const Rectangle taken{3, 2, 4, 3};
  const std::vector<Rectangle> all{{0, 0, 10, 8}, {20, 20, 2, 2}, {4, 3, 1, 1}, {6, 4, 5, 5}};
  for (const Rectangle& part : all) {
    std::int64_t tiles = 0;
    const std::vector<Rectangle> left = outside_of(taken, {part});
    for (std::size_t i = 0; i < left.size(); ++i) {
      CHECK(contains(part, left[i]));
      CHECK_FALSE(overlap(left[i], taken));
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(left[i], left[j]));
      tiles += left[i].width * left[i].height;
    }
    const std::int64_t inside = covered_tiles({part}, taken);
    CHECK(tiles == part.width * part.height - inside);
  }
  CHECK(outside_of(taken, all).size() == 4 + 1 + 0 + 2);
}

TEST_CASE("a rectangle is clear if it is on the wafer and off the dead tiles") {
  const Wafer wafer{7, 5, {{2, 2, 2, 1}}};
  CHECK(is_clear(wafer, {0, 0, 7, 2}));
  CHECK(is_clear(wafer, {0, 0, 2, 5}));
  CHECK(is_clear(wafer, {4, 0, 3, 5}));
  CHECK_FALSE(is_clear(wafer, {0, 0, 3, 3}));
  CHECK_FALSE(is_clear(wafer, {3, 2, 1, 1}));
  CHECK_FALSE(is_clear(wafer, {5, 0, 3, 1}));
  CHECK_FALSE(is_clear(wafer, {-1, 0, 1, 1}));
}

}  // namespace waferloom
