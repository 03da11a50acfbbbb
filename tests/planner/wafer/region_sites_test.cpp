#include "planner/wafer/region_sites.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <utility>

#include "planner/wafer/serving_layouts.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

using test::close_to;

Hardware dead_mesh(std::int64_t columns, std::int64_t rows, std::vector<Rectangle> dead) {
  Hardware hardware;
  hardware.name = "mesh";
  hardware.wafer = {columns, rows, std::move(dead)};
  return hardware;
}

RowRange all_rows(const RegionSites& sites) { return {sites.box().y, sites.box().height}; }

TEST_CASE("a whole mesh has regions in the grid that begins in its corner, row by row") {
  const RegionSites sites(dead_mesh(10, 7, {}));
  CHECK(sites.is_plain());
  const std::vector<RegionWay> ways = sites.ways({3, 4}, all_rows(sites), 100);
  REQUIRE(ways.size() == 1);
  CHECK(ways.front().blocks == 4);
  CHECK(sites.places({3, 4}, ways.front(), all_rows(sites), 4) ==
        std::vector<Rectangle>{{0, 0, 4, 3}, {4, 0, 4, 3}, {4, 3, 4, 3}, {0, 3, 4, 3}});
}

//  y 2  a a b b      A tile that is dead in the corner: regions move up a row, and none is lost.
//    1  a a b b
//    0  X . . .
TEST_CASE("rows of regions move past a dead tile where rows are to spare") {
  const RegionSites sites(dead_mesh(4, 7, {{0, 0, 1, 1}}));
  const std::vector<RegionWay> ways = sites.ways({3, 2}, all_rows(sites), 4);
  REQUIRE(ways.size() == 1);
  CHECK(ways.front().spare_rows == 0);
  CHECK(ways.front().blocks == 4);
  for (const Rectangle& place : sites.places({3, 2}, ways.front(), all_rows(sites), 4)) {
    CHECK(place.y >= 1);
    CHECK(sites.lost_in_column(place) == 0);
  }
}

TEST_CASE("a region as large as the mesh has a spare row for a dead tile in the middle") {
  const RegionSites sites(dead_mesh(9, 9, {{4, 4, 1, 1}}));
  const std::vector<RegionWay> ways = sites.ways({8, 9}, all_rows(sites), 1);
  REQUIRE(ways.size() == 1);
  CHECK(ways.front().spare_rows == 1);
  const Rectangle place = sites.places({8, 9}, ways.front(), all_rows(sites), 1).front();
  CHECK(place == Rectangle{0, 0, 9, 9});
  // By hand: row 4 is left out. A column passes it with a hop more; the middle one goes a column
  // aside and back, two hops more, so that its neighbour's links carry both. No row is crossed.
  const Detours detours = sites.detours(place, 1);
  CHECK(detours.along == 0);
  CHECK(detours.up == 1 + 2);
  CHECK(detours.longest == 1 + 2);
  CHECK(detours.load == 2);
}

//  y 3  . . . . . . . .     The seam is row 0 at column 1, row 3 at column 6. Rows 0 to 2 of those
//    2  . . . . . . . .     that are left lie above it first and below it then: each is crossed
//    1  . . . . . . . .     once.
//    0  . X . . . . . .
// Ten of twelve tiles of row 4 are dead: two columns lead from the rows below it to those above. A
// cut between columns has the seven other rows, one of the whole mesh as many links as its shorter
// side.
TEST_CASE("the narrowest middle has the fewest links across, in either direction") {
  CHECK(RegionSites(dead_mesh(12, 8, {})).narrowest_middle() == 8);
  CHECK(RegionSites(dead_mesh(12, 8, {{0, 4, 10, 1}})).narrowest_middle() == 2);
  CHECK(RegionSites(dead_mesh(8, 12, {{4, 0, 1, 10}})).narrowest_middle() == 2);
  // Outside of the middle half it is none.
  CHECK(RegionSites(dead_mesh(12, 8, {{0, 7, 10, 1}})).narrowest_middle() == 7);
}

TEST_CASE("a row pays a hop where a seam crosses it") {
  const RegionSites sites(dead_mesh(8, 4, {{1, 0, 1, 1}, {6, 3, 1, 1}}));
  const Detours detours = sites.detours({0, 0, 8, 4}, 1);
  CHECK(detours.along == 1);
  CHECK(detours.up == 1 + 2);
  CHECK(detours.load == 2);
  // Two rows to spare: each seam keeps to its own dead tile, and crosses nothing.
  CHECK(sites.detours({0, 0, 8, 4}, 2).along == 0);
  CHECK(sites.detours({0, 0, 8, 4}, 2).up == 2 + 2);
}

TEST_CASE("what is cut off is not in the box, and dead links spare their tile") {
  const RegionSites cut(dead_mesh(6, 9, {{0, 3, 6, 1}}));
  CHECK(cut.box() == Rectangle{0, 4, 6, 5});
  CHECK(cut.is_plain());
  Hardware hardware = dead_mesh(6, 6, {});
  hardware.dead_links = {{2, 2, Direction::east}};
  const RegionSites links(hardware);
  CHECK_FALSE(links.is_plain());
  CHECK(links.lost_in_column({2, 2, 1, 1}) == 1);
  CHECK(links.lost_in_column({3, 2, 1, 1}) == 0);
}

/// Hops between tiles of a mesh over tiles that live, by a flood from each that knows no seams.
class Floods {
 public:
  explicit Floods(const Hardware& hardware) : wafer_(hardware.wafer) {}
  std::int64_t hops(const TilePlace& from, const TilePlace& to) {
    std::vector<std::int64_t> hops(static_cast<std::size_t>(wafer_.width * wafer_.height), -1);
    std::vector<TilePlace> open{from};
    at(hops, from) = 0;
    for (std::size_t i = 0; i < open.size() && at(hops, to) < 0; ++i) {
      const TilePlace here = open[i];
      for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const TilePlace next{here.x + dx, here.y + dy};
        if (!is_clear(wafer_, {next.x, next.y, 1, 1}) || at(hops, next) >= 0) continue;
        at(hops, next) = at(hops, here) + 1;
        open.push_back(next);
      }
    }
    return at(hops, to);
  }

 private:
  std::int64_t& at(std::vector<std::int64_t>& hops, const TilePlace& tile) const {
    return hops[static_cast<std::size_t>(tile.y * wafer_.width + tile.x)];
  }
  const Wafer& wafer_;
};

// The rows that are left are those of the best of all seams; lines up columns have no choice. So
// the way up every column is held against a flood, whatever rows are left out.
TEST_CASE("columns of regions on random dead tiles are no longer than their detours say") {
  constexpr unsigned kSeed = 37;
  std::mt19937 random(kSeed);
  const auto draw = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random);
  };
  int with_spares = 0;
  for (int round = 0; round < 40; ++round) {
    Hardware hardware = dead_mesh(12 + draw(20), 12 + draw(20), {});
    for (std::int64_t left = draw(12); left >= 0; --left) {
      hardware.wafer.dead.push_back(
          {draw(hardware.wafer.width), draw(hardware.wafer.height), 1, 1});
    }
    const RegionSites sites(hardware);
    Floods floods(hardware);
    const TileGrid region{4 + draw(6), 4 + draw(6)};
    for (const RegionWay& way : sites.ways(region, all_rows(sites), 100)) {
      with_spares += way.spare_rows > 0 ? 1 : 0;
      const std::vector<Rectangle> places = sites.places(region, way, all_rows(sites), way.blocks);
      CHECK(static_cast<std::int64_t>(places.size()) == way.blocks);
      CHECK(overlapping_pairs(places, 1).empty());
      for (const Rectangle& place : places) {
        CHECK(contains(sites.box(), place));
        CHECK(place.width == region.columns);
        CHECK(place.height == region.rows + way.spare_rows);
        CHECK(sites.lost_in_column(place) <= way.spare_rows);
        if (sites.lost_in_column(place) == 0) continue;  // its first rows do
        const Detours detours = sites.detours(place, way.spare_rows);
        for (std::int64_t x = place.x; x < place.x + place.width; ++x) {
          std::vector<TilePlace> column;
          for (std::int64_t y = place.y; y < place.y + place.height; ++y) {
            if (sites.living().state({x, y}) == TileState::joined) column.push_back({x, y});
          }
          std::int64_t hops = 0;
          for (std::size_t i = 1; i < column.size(); ++i) {
            const std::int64_t step = floods.hops(column[i - 1], column[i]);
            CHECK(step <= 1 + detours.longest);
            hops += step;
          }
          CHECK(hops <= region.rows - 1 + detours.up);
        }
      }
    }
  }
  CHECK(with_spares > 10);
}

}  // namespace
}  // namespace waferloom::planner
