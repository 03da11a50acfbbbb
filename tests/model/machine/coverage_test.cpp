#include <doctest/doctest.h>

#include <random>

#include "model/wafer.h"

namespace waferloom {
namespace {

TEST_CASE("overlapping tiles count once, tiles outside not at all") {
  const Rectangle bounds{0, 0, 10, 10};
  CHECK(covered_tiles({}, bounds) == 0);
  CHECK(covered_tiles({{0, 0, 3, 2}}, bounds) == 6);
  CHECK(covered_tiles({{0, 0, 3, 2}, {0, 0, 3, 2}}, bounds) == 6);
  CHECK(covered_tiles({{0, 0, 3, 2}, {2, 1, 3, 2}}, bounds) == 11);
  CHECK(covered_tiles({{8, 8, 5, 5}, {-5, -5, 6, 6}, {20, 20, 1, 1}}, bounds) == 5);
}

TEST_CASE("coverage equals a count tile by tile") {
  std::mt19937 random(11);  // NOLINT: the same sequence everywhere
  for (int round = 0; round < 100; ++round) {
    std::vector<Rectangle> rectangles;
    for (int i = 0; i < round % 12; ++i) {
      rectangles.push_back({std::int64_t(random() % 16) - 3, std::int64_t(random() % 16) - 3,
                            std::int64_t(1 + random() % 7), std::int64_t(1 + random() % 7)});
    }
    std::int64_t expected = 0;
    for (std::int64_t x = 0; x < 12; ++x) {
      for (std::int64_t y = 0; y < 9; ++y) {
        bool covered = false;
        for (const Rectangle& tiles : rectangles) covered |= overlap(tiles, {x, y, 1, 1});
        expected += covered ? 1 : 0;
      }
    }
    CAPTURE(round);
    CHECK(covered_tiles(rectangles, {0, 0, 12, 9}) == expected);
  }
}

}  // namespace
}  // namespace waferloom
