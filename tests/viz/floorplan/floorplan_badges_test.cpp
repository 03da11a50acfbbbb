#include "viz/floorplan/floorplan_badges.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/close_to.h"

namespace waferloom::viz {
namespace {

using test::close_to;

double apart(const Circle& a, const Circle& b) {
  return std::hypot(a.centre.x - b.centre.x, a.centre.y - b.centre.y);
}

TEST_CASE("a lone badge lies on its edge, or beside it where it would hide the edge") {
  BadgeRoom room;
  const Circle on = room.place({{50, 50}, {0, 1}, 5, 2, true}).value();
  CHECK(on.centre.x == 50);
  CHECK(on.centre.y == 50);
  const Circle beside = room.place({{150, 50}, {0, 1}, 5, 2, false}).value();
  CHECK(beside.centre.x == 150);
  CHECK(beside.centre.y == close_to(56.5));
}

TEST_CASE("badges that want one place are spread over both sides, and no more than fit") {
  BadgeRoom room;
  const BadgeWish wish{{10, 10}, {1, 0}, 4, 1, true};
  CHECK(room.place(wish)->centre.x == 10);
  CHECK(!room.place(wish));  // beside the edge is too near to the first
  const BadgeWish off_edge{{50, 10}, {1, 0}, 4, 1, false};
  const Circle left = room.place(off_edge).value();
  const Circle right = room.place(off_edge).value();
  CHECK(apart(left, right) >= 0.95 * 8);
  CHECK(!room.place(off_edge));
}

TEST_CASE("no badge lies on a box that is taken") {
  BadgeRoom room({{0, 0, 100, 58}});
  // On the edge at y = 50 it would meet the box, and on the one side; on the other it is clear.
  const BadgeWish wish{{50, 57}, {0, 1}, 5, 2, true};
  CHECK(room.place(wish)->centre.y == close_to(63.5));
  CHECK(!BadgeRoom({{0, 0, 100, 100}}).place(wish));
}

TEST_CASE("badges far outside the page can be placed") {
  BadgeRoom room;
  CHECK(room.place({{1e15, -1e15}, {0, 1}, 5, 1, true})->centre.x == 1e15);
}

}  // namespace
}  // namespace waferloom::viz
