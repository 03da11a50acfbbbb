#include "viz/routes/route_bundles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

namespace waferloom::viz {
namespace {

constexpr PathLeg east(std::int64_t hops) { return {Direction::east, hops}; }
constexpr PathLeg north(std::int64_t hops) { return {Direction::north, hops}; }

/// A lane from a tile along a path; where it ends is not looked at.
RoutedLane lane_from(const TilePlace& from, std::vector<PathLeg> path) {
  RoutedLane lane;
  lane.from = from;
  lane.path = std::move(path);
  return lane;
}

using Tiles = std::set<std::pair<std::int64_t, std::int64_t>>;

void add_tiles(Tiles& tiles, const Rectangle& of) {
  for (std::int64_t x = of.x; x < of.x + of.width; ++x) {
    for (std::int64_t y = of.y; y < of.y + of.height; ++y) tiles.insert({x, y});
  }
}

/// Every tile that a lane walks over, step by step.
void walk(Tiles& tiles, const RoutedLane& lane) {
  std::int64_t x = lane.from.x;
  std::int64_t y = lane.from.y;
  tiles.insert({x, y});
  for (const PathLeg& leg : lane.path) {
    for (std::int64_t hop = 0; hop < leg.hops; ++hop) {
      if (leg.direction == Direction::east) ++x;
      if (leg.direction == Direction::west) --x;
      if (leg.direction == Direction::north) ++y;
      if (leg.direction == Direction::south) --y;
      tiles.insert({x, y});
    }
  }
}

TEST_CASE("three lanes on neighbouring rows are one band, three tiles wide") {
  const std::vector<RoutedLane> lanes{lane_from({2, 5}, {east(4)}), lane_from({2, 7}, {east(4)}),
                                      lane_from({2, 6}, {east(4)})};
  const auto bundles = route_bundles(lanes, 1);
  REQUIRE(bundles.size() == 1);
  CHECK(bundles[0].lanes == std::vector<std::size_t>{0, 2, 1});
  REQUIRE(bundles[0].bands.size() == 1);
  const RouteBand& band = bundles[0].bands[0];
  CHECK(band.direction == Direction::east);
  CHECK(band.hull == Rectangle{2, 5, 5, 3});
  CHECK(band.tiles == std::vector<Rectangle>{{2, 5, 5, 3}});
  CHECK(covered_tiles(bundles[0]) == 15);
}

TEST_CASE("a bundle that turns has a band before the turn and one behind it") {
  // Nested: the lane on the lower row turns farther out.
  //   row 4   . . | | |     columns 3, 4, 5
  //   row 2   - - + | |     lane 2 turns in column 3
  //   row 1   - - - + |
  //   row 0   - - - - +     lane 0 in column 5
  const std::vector<RoutedLane> lanes{lane_from({0, 0}, {east(5), north(4)}),
                                      lane_from({0, 1}, {east(4), north(3)}),
                                      lane_from({0, 2}, {east(3), north(2)})};
  const auto bundles = route_bundles(lanes, 1);
  REQUIRE(bundles.size() == 1);
  REQUIRE(bundles[0].bands.size() == 2);
  const RouteBand& level = bundles[0].bands[0];
  CHECK(level.direction == Direction::east);
  CHECK(level.hull == Rectangle{0, 0, 6, 3});
  CHECK(level.tiles == std::vector<Rectangle>{{0, 2, 4, 1}, {0, 1, 5, 1}, {0, 0, 6, 1}});
  const RouteBand& upright = bundles[0].bands[1];
  CHECK(upright.direction == Direction::north);
  CHECK(upright.hull == Rectangle{3, 0, 3, 5});
  CHECK(upright.tiles == std::vector<Rectangle>{{5, 0, 1, 5}, {4, 1, 1, 4}, {3, 2, 1, 3}});
}

TEST_CASE("lanes that split are bundles of their own") {
  // Two go straight on, the third turns off; the fourth turns as that one, but ten columns farther.
  const std::vector<RoutedLane> lanes{lane_from({0, 0}, {east(9)}), lane_from({0, 1}, {east(9)}),
                                      lane_from({0, 2}, {east(2), north(5)}),
                                      lane_from({0, 3}, {east(12), north(5)})};
  const auto bundles = route_bundles(lanes, 1);
  REQUIRE(bundles.size() == 3);
  CHECK(bundles[0].lanes == std::vector<std::size_t>{0, 1});
  CHECK(bundles[1].lanes == std::vector<std::size_t>{2});
  CHECK(bundles[2].lanes == std::vector<std::size_t>{3});
  CHECK(bundles[0].bands[0].hull == Rectangle{0, 0, 10, 2});
  CHECK(bundles[1].bands[1].hull == Rectangle{2, 2, 1, 6});
}

TEST_CASE("lanes apart are one bundle up to the gap asked for, and cover only their own tiles") {
  const std::vector<RoutedLane> lanes{lane_from({0, 0}, {east(3)}), lane_from({0, 3}, {east(3)}),
                                      lane_from({0, 6}, {east(3)})};
  CHECK(route_bundles(lanes, 2).size() == 3);
  const auto bundles = route_bundles(lanes, 3);
  REQUIRE(bundles.size() == 1);
  CHECK(bundles[0].bands[0].hull == Rectangle{0, 0, 4, 7});
  CHECK(bundles[0].bands[0].tiles ==
        std::vector<Rectangle>{{0, 0, 4, 1}, {0, 3, 4, 1}, {0, 6, 4, 1}});
  CHECK(covered_tiles(bundles[0]) == 12);
}

TEST_CASE("lanes on one track, one behind the other, are apart along it") {
  const std::vector<RoutedLane> lanes{lane_from({0, 0}, {east(3)}), lane_from({9, 0}, {east(3)})};
  CHECK(route_bundles(lanes, 5).size() == 2);
  CHECK(route_bundles(lanes, 6).size() == 1);
}

TEST_CASE("opposite directions are different bundles of the same tiles") {
  const std::vector<RoutedLane> lanes{lane_from({3, 4}, {{Direction::south, 2}}),
                                      lane_from({4, 2}, {{Direction::north, 2}})};
  const auto bundles = route_bundles(lanes, 1);
  REQUIRE(bundles.size() == 2);
  CHECK(bundles[0].bands[0].hull == Rectangle{3, 2, 1, 3});
  CHECK(bundles[1].bands[0].hull == Rectangle{4, 2, 1, 3});
}

TEST_CASE("lanes without hops are bands of the tiles that they are on") {
  const auto bundles = route_bundles({lane_from({0, 7}, {}), lane_from({0, 8}, {})}, 1);
  REQUIRE(bundles.size() == 1);
  CHECK(bundles[0].bands[0].hull == Rectangle{0, 7, 1, 2});
  CHECK(route_bundles({}, 1).empty());
}

TEST_CASE("bundles cover exactly the tiles of their lanes, and every lane is in one") {
  std::mt19937 draw(4);  // NOLINT(cert-msc51-cpp)
  const auto upto = [&](std::uint32_t most) {
    return static_cast<std::int64_t>(draw() % (most + 1));
  };
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    std::vector<RoutedLane> lanes;
    for (int lane = 0; lane < 30; ++lane) {
      std::vector<PathLeg> path;
      const auto first = static_cast<std::size_t>(upto(3));
      for (std::int64_t leg = upto(3); leg > 0; --leg) {
        const bool turned = (static_cast<std::size_t>(leg) + first) % 2 == 0;
        const std::size_t way = (turned ? 2U : 0U) + static_cast<std::size_t>(upto(1));
        path.push_back({static_cast<Direction>(way), 1 + upto(6)});
      }
      lanes.push_back(lane_from({20 + upto(8), 20 + upto(8)}, path));
    }
    std::vector<int> seen(lanes.size(), 0);
    for (const RouteBundle& bundle : route_bundles(lanes, 1 + upto(2))) {
      Tiles walked;
      Tiles covered;
      for (const std::size_t lane : bundle.lanes) {
        ++seen[lane];
        walk(walked, lanes[lane]);
      }
      for (const RouteBand& band : bundle.bands) {
        for (const Rectangle& tiles : band.tiles) {
          CHECK(contains(band.hull, tiles));
          add_tiles(covered, tiles);
        }
      }
      CHECK(covered == walked);
    }
    CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

}  // namespace
}  // namespace waferloom::viz
