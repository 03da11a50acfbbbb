#include "placer/free/overlap_depths.h"

#include <doctest/doctest.h>

#include "tests/placer/free/tile_grid.h"

namespace waferloom::placer {
namespace {

/// The thin side of what two share, 0 if they share nothing.
std::int64_t plain_depth(const Rectangle& a, const Rectangle& b) {
  if (!overlap(a, b)) return 0;
  const Rectangle shared = intersection(a, b);
  return std::min(shared.width, shared.height);
}

TEST_CASE("depths, their sums over some and over all are those of plain code") {
  test::Draw draw(61);
  for (int round = 0; round < 100; ++round) {
    INFO("round ", round);
    const std::int64_t off = round % 2 == 0 ? -15 : 1'000'000'000;
    std::vector<Rectangle> rectangles(static_cast<std::size_t>(draw.between(0, 9)));
    OverlapDepths depths(rectangles.size());
    CHECK(depths.size() == rectangles.size());
    for (int change = 0; change < 20; ++change) {
      for (std::size_t i = 0; i < rectangles.size(); ++i) {
        if (change > 0 && draw.between(0, 2) > 0) continue;
        rectangles[i] = Rectangle{off + draw.between(0, 30), draw.between(-15, 15),
                                  draw.between(1, 20), draw.between(1, 20)};
        depths.set(i, rectangles[i]);
      }
      std::int64_t total = 0;
      for (std::size_t i = 0; i < rectangles.size(); ++i) {
        CHECK(depths.at(i) == rectangles[i]);
        for (std::size_t first = 0; first <= rectangles.size(); ++first) {
          std::int64_t sum = 0;
          for (std::size_t j = first; j < rectangles.size(); ++j) {
            if (j != i) sum += plain_depth(rectangles[i], rectangles[j]);
          }
          CHECK(depths.depth_in(i, first) == sum);
        }
        for (std::size_t j = 0; j < rectangles.size(); ++j) {
          if (i == j) continue;
          CHECK(depths.depth(i, j) == plain_depth(rectangles[i], rectangles[j]));
          if (i < j) total += plain_depth(rectangles[i], rectangles[j]);
        }
      }
      CHECK(depths.total() == total);
    }
  }
}

TEST_CASE("rectangles that touch do not overlap, and one in another is as deep as it is thin") {
  OverlapDepths depths(3);
  depths.set(0, {0, 0, 4, 4});
  depths.set(1, {4, 0, 2, 4});
  depths.set(2, {-5, -5, 20, 20});
  CHECK(depths.depth(0, 1) == 0);
  CHECK(depths.depth(0, 2) == 4);
  CHECK(depths.depth(1, 2) == 2);
  CHECK(depths.total() == 6);
}

}  // namespace
}  // namespace waferloom::placer
