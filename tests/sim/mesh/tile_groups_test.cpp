#include "sim/tile_groups.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace waferloom::sim {
namespace {

std::int64_t hops(const TilePlace& a, const TilePlace& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

/// Whether a group has every tile of a rectangle once.
bool covers(TileGroup group, const Rectangle& tiles) {
  std::sort(group.begin(), group.end(), [](const TilePlace& a, const TilePlace& b) {
    return a.y != b.y ? a.y < b.y : a.x < b.x;
  });
  if (group.size() != static_cast<std::size_t>(tiles.width * tiles.height)) return false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (group[i].x != tiles.x + at % tiles.width) return false;
    if (group[i].y != tiles.y + at / tiles.width) return false;
  }
  return true;
}

/// The longest way from a tile to the next, and from the last to the first.
struct Ways {
  std::int64_t along = 0;
  std::int64_t back = 0;
};
Ways ways_of(const TileGroup& group) {
  Ways ways{0, hops(group.back(), group.front())};
  for (std::size_t i = 1; i < group.size(); ++i) {
    ways.along = std::max(ways.along, hops(group[i - 1], group[i]));
  }
  return ways;
}

// A ring of neighbours needs an even number of tiles, as the squares of a chess board show, and two
// rows and columns. Otherwise a snake goes from neighbour to neighbour, and its ends are apart.
TEST_CASE("tiles stand in a ring of neighbours where there is one, else in a snake") {
  for (std::int64_t width = 1; width <= 6; ++width) {
    for (std::int64_t height = 1; height <= 6; ++height) {
      if (width * height < 2) continue;
      CAPTURE(width);
      CAPTURE(height);
      const Rectangle tiles{3, 5, width, height};
      const TileGroup group = ring_of(tiles);
      CHECK(covers(group, tiles));
      CHECK(ways_of(group).along == 1);
      const bool is_ring = width > 1 && height > 1 && width * height % 2 == 0;
      CHECK((ways_of(group).back == 1) == (is_ring || width * height == 2));
    }
  }
}

TEST_CASE("tiles that fill a rectangle stand in its ring, others as they are") {
  const TileGroup mixed = ring_through({{1, 1}, {0, 0}, {1, 0}, {0, 1}});
  CHECK(covers(mixed, {0, 0, 2, 2}));
  CHECK(ways_of(mixed).along == 1);
  CHECK(ways_of(mixed).back == 1);
  const TileGroup apart = ring_through({{4, 0}, {0, 0}, {9, 0}});
  REQUIRE(apart.size() == 3);
  CHECK(apart[0].x == 4);
  CHECK(apart[1].x == 0);
  CHECK(apart[2].x == 9);
}

}  // namespace
}  // namespace waferloom::sim
