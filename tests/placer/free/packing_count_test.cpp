#include "placer/free/packing_count.h"

#include <doctest/doctest.h>

#include <vector>

namespace waferloom::placer {
namespace {

TEST_CASE("sides count by k-ths of the room, and exact parts as what they are") {
  // Of 100 tiles by thirds, in sixths: up to 33 are nothing, 34 to 66 a half, from 67 on all.
  const SideCount halves{2};
  CHECK(halves.room_count(100) == 6);
  CHECK(halves.count(33, 100) == 0);
  CHECK(halves.count(34, 100) == 3);
  CHECK(halves.count(66, 100) == 3);
  CHECK(halves.count(67, 100) == 6);
  CHECK(halves.count(100, 100) == 6);
  // Of 99 a third is 33: it counts a third, 34 count a half.
  CHECK(halves.count(33, 99) == 2);
  CHECK(halves.count(34, 99) == 3);
  CHECK(halves.count(66, 99) == 4);
  const SideCount tiles{0};
  CHECK(tiles.count(37, 100) == 37);
  CHECK(tiles.room_count(100) == 100);
}

/// The most that sides of a sum of at most `left` count, none longer than `longest`.
std::int64_t most_counted(const SideCount& sides, std::int64_t room, std::int64_t left,
                          std::int64_t longest) {
  std::int64_t most = 0;
  for (std::int64_t side = 1; side <= std::min(left, longest); ++side) {
    most = std::max(most, sides.count(side, room) + most_counted(sides, room, left - side, side));
  }
  return most;
}

TEST_CASE("no sides that lie side by side count more than the room") {
  for (std::int64_t room = 1; room <= 14; ++room) {
    for (std::int64_t parts = 0; parts <= kMostParts; ++parts) {
      INFO("room ", room, ", parts ", parts);
      const SideCount sides{parts};
      CHECK(most_counted(sides, room, room, room) == sides.room_count(room));
    }
  }
}

TEST_CASE("the least that a shape counts is over those that fit") {
  const std::vector<Extent> shapes{{34, 70}, {70, 34}, {20, 90}};
  std::uint64_t work = 0;
  const Extent room{100, 100};
  // Halves by thirds: 34 counts 3 of 6, 70 counts 6, 20 nothing, 90 counts 6.
  CHECK(least_count(shapes, {100, 100}, room, {2}, {2}, work) == 0);
  CHECK(least_count(shapes, {100, 80}, room, {2}, {2}, work) == 18);
  CHECK(least_count(shapes, {30, 80}, room, {2}, {2}, work) == -1);
  // Halves by tiles: 34 wide and 70 high counts 3·70, the same turned 6·34.
  CHECK(least_count(shapes, {100, 80}, room, {2}, {0}, work) == 204);
  CHECK(work == 12);
}

}  // namespace
}  // namespace waferloom::placer
