#include "router/detailed/track_search.h"

#include <doctest/doctest.h>

#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;
using test::close_to;
using Legs = std::vector<PathLeg>;

/// Tracks of a mesh in one cell a tile, with room for 1,000 lanes a tile, so that crowds cost next
/// to nothing.
struct Tracks {
  explicit Tracks(const Hardware& hardware)
      : mesh(hardware),
        grid(mesh, {}, 1),
        loads(mesh, std::vector<float>(mesh.node_count(), 1'000)),
        search(grid, loads) {}

  static LaneTask lane(const TilePlace& from, const TilePlace& to, const FlowPath& guide) {
    return {{from}, {to}, 1, &guide};
  }

  Mesh mesh;
  CellGrid grid;
  TrackLoads loads;
  TrackSearch search;
};

/// No guide: two turns at most.
const FlowPath kNoGuide{};

TEST_CASE("pieces in one direction are one leg, and points without a way between are none") {
  CHECK(legs_through({{0, 0}, {3, 0}, {3, 0}, {5, 0}, {5, 2}}) ==
        Legs{{Direction::east, 5}, {Direction::north, 2}});
  CHECK(legs_through({{5, 4}, {5, 1}, {0, 1}}) ==
        Legs{{Direction::south, 3}, {Direction::west, 5}});
  CHECK(legs_through({{5, 4}}).empty());
}

TEST_CASE("a lane in a row goes straight, one to its own tile nowhere") {
  Tracks tracks(byte_fabric(8, 5));
  CHECK(tracks.search.cheapest(Tracks::lane({1, 2}, {6, 2}, kNoGuide), 0.5F).legs ==
        Legs{{Direction::east, 5}});
  CHECK(tracks.search.cheapest(Tracks::lane({6, 2}, {1, 2}, kNoGuide), 0.5F).legs ==
        Legs{{Direction::west, 5}});
  CHECK(tracks.search.cheapest(Tracks::lane({3, 4}, {3, 1}, kNoGuide), 0.5F).legs ==
        Legs{{Direction::south, 3}});
  const TrackPath none = tracks.search.cheapest(Tracks::lane({3, 3}, {3, 3}, kNoGuide), 0.5F);
  CHECK(none.legs.empty());
  CHECK(none.cost == 0);
}

TEST_CASE("a lane across has a turn, or two, and no tile more than it needs") {
  Tracks tracks(byte_fabric(8, 5));
  const TrackPath found = tracks.search.cheapest(Tracks::lane({1, 0}, {5, 3}, kNoGuide), 0.5F);
  std::int64_t hops = 0;
  for (const PathLeg& leg : found.legs) hops += leg.hops;
  CHECK(hops == 7);
  CHECK(found.legs.size() >= 2);
  CHECK(found.legs.size() <= 3);
  // (0.5)^4 a link, a thousandth a hop, next to nothing for crowds.
  CHECK(found.cost == close_to(7 * (0.0625 + 0.001)).within(1e-4));
}

TEST_CASE("an L avoids the side that is full") {
  Tracks tracks(byte_fabric(8, 5));
  // Row 0 is full from x = 1 to x = 5: the lane goes up first.
  tracks.loads.add({1, 0}, {{Direction::east, 4}}, 1);
  CHECK(tracks.search.cheapest(Tracks::lane({1, 0}, {5, 3}, kNoGuide), 1).legs.front().direction ==
        Direction::north);
  tracks.loads.remove({1, 0}, {{Direction::east, 4}}, 1);
  // Column 1 is: along the row first.
  tracks.loads.add({1, 0}, {{Direction::north, 3}}, 1);
  CHECK(tracks.search.cheapest(Tracks::lane({1, 0}, {5, 3}, kNoGuide), 1).legs.front().direction ==
        Direction::east);
}

TEST_CASE("a guide leads a lane around a full link") {
  Tracks tracks(byte_fabric(4, 2));
  tracks.loads.add({1, 0}, {{Direction::east, 1}}, 1);
  // Straight: 1/1 at two links and from 1 to 2 at a full one, 1 + 1 + (2^4 - 1). Around: 5 links.
  FlowPath around;
  for (const TilePlace tile : {TilePlace{0, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 1}, {3, 0}}) {
    around.cells.push_back(tracks.grid.cell_at(tile));
  }
  const TrackPath found = tracks.search.cheapest(Tracks::lane({0, 0}, {3, 0}, around), 1);
  CHECK(found.legs == Legs{{Direction::north, 1}, {Direction::east, 3}, {Direction::south, 1}});
  CHECK(found.cost == close_to(5 * 1.001).within(1e-4));
  // Where no link is full, straight is cheaper whatever the guide says.
  tracks.loads.remove({1, 0}, {{Direction::east, 1}}, 1);
  CHECK(tracks.search.cheapest(Tracks::lane({0, 0}, {3, 0}, around), 1).legs ==
        Legs{{Direction::east, 3}});
}

TEST_CASE("of the tracks of a guide's cells the cheapest is taken") {
  // Cells of 3 × 3 tiles. From the first to the last of a row of three, by way of the cells above.
  const Mesh mesh(byte_fabric(9, 6));
  const CellGrid grid(mesh, {}, 3);
  TrackLoads loads(mesh, std::vector<float>(mesh.node_count(), 1'000));
  TrackSearch search(grid, loads);
  loads.add({0, 0}, {{Direction::east, 8}}, 3);
  loads.add({0, 3}, {{Direction::east, 8}}, 1);
  loads.add({0, 5}, {{Direction::east, 8}}, 1);
  const FlowPath guide{{0, 3, 4, 5, 2}, 1};
  const TrackPath found = search.cheapest(Tracks::lane({1, 0}, {7, 0}, guide), 1);
  CHECK(found.legs == Legs{{Direction::north, 4}, {Direction::east, 6}, {Direction::south, 4}});
}

TEST_CASE("whatever part of a link a lane fills, a dead link on its way costs too much") {
  Hardware hardware = byte_fabric(9, 1);
  hardware.dead_links = {{4, 0, Direction::east}};
  Tracks tracks(hardware);
  for (const float part : {1.0F, 0.1F, 1e-3F, 1e-6F, 1e-12F, 0.0F}) {
    CAPTURE(part);
    CHECK(tracks.search.cheapest(Tracks::lane({0, 0}, {8, 0}, kNoGuide), part).cost >=
          TrackLoads::kDeadCost);
    CHECK(tracks.search.cheapest(Tracks::lane({0, 0}, {4, 0}, kNoGuide), part).cost <
          TrackLoads::kDeadCost);
    CHECK(tracks.search.cheapest(Tracks::lane({8, 0}, {0, 0}, kNoGuide), part).cost <
          TrackLoads::kDeadCost);
  }
}

}  // namespace
}  // namespace waferloom::router
