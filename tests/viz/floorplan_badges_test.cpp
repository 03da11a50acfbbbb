#include "viz/floorplan_badges.h"

#include <doctest/doctest.h>

#include <cmath>

namespace waferloom {
namespace {

double apart(const Circle& a, const Circle& b) {
  return std::hypot(a.centre.x - b.centre.x, a.centre.y - b.centre.y);
}

TEST_CASE("a lone badge lies on its edge, or beside it where it would hide the edge") {
  BadgeRoom room;
  const Circle on = room.place({{50, 50}, {0, 1}, 5, 2, true});
  CHECK(on.centre.x == 50);
  CHECK(on.centre.y == 50);
  const Circle beside = room.place({{150, 50}, {0, 1}, 5, 2, false});
  CHECK(beside.centre.x == 150);
  CHECK(beside.centre.y == doctest::Approx(56.5));
}

TEST_CASE("badges that want one place are spread over both sides") {
  BadgeRoom room;
  std::vector<Circle> placed;
  for (int i = 0; i < 6; ++i) placed.push_back(room.place({{10, 10}, {1, 0}, 4, 1, false}));
  for (std::size_t a = 0; a < placed.size(); ++a) {
    CHECK(placed[a].centre.y == 10);
    for (std::size_t b = 0; b < a; ++b) CHECK(apart(placed[a], placed[b]) >= 0.95 * 8);
  }
  // When all places are taken, the first choice.
  CHECK(apart(room.place({{10, 10}, {1, 0}, 4, 1, false}), placed[0]) == 0);
}

TEST_CASE("badges far outside the page can be placed") {
  BadgeRoom room;
  CHECK(room.place({{1e15, -1e15}, {0, 1}, 5, 1, true}).centre.x == 1e15);
}

}  // namespace
}  // namespace waferloom
