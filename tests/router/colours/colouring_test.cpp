#include "router/colours/colouring.h"

#include <doctest/doctest.h>

#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;

/// Lanes on their paths, and a router for those that need another one.
struct ColourCase {
  explicit ColourCase(Hardware fabric) : hardware(std::move(fabric)) {}

  void add(const TilePlace& from, const TilePlace& to, std::vector<PathLeg> legs) {
    lanes.push_back({{{from}, {to}, 1}, 0, 0.1F, std::move(legs), -1});
  }
  ColouringResult colour() {
    const Mesh mesh(hardware);
    const CellGrid grid(mesh, traffic, 4);
    const LaneRouterOptions options;
    LaneRouter router(grid, mesh, std::vector<float>(mesh.node_count(), 8), options);
    return colour_lanes(lanes, traffic, hardware, router);
  }

  Hardware hardware;
  Traffic traffic;
  std::vector<LanePath> lanes;
};

TEST_CASE("lanes that cross differ in colour, parallel ones share one") {
  ColourCase crossing(byte_fabric(5, 5));
  crossing.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  crossing.add({2, 0}, {2, 4}, {{Direction::north, 4}});
  const ColouringResult two = crossing.colour();
  CHECK(two.without.empty());
  CHECK(two.most == 2);
  CHECK(crossing.lanes[0].colour == 0);
  CHECK(crossing.lanes[1].colour == 1);

  ColourCase parallel(byte_fabric(5, 5));
  parallel.add({0, 1}, {4, 1}, {{Direction::east, 4}});
  parallel.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  const ColouringResult result = parallel.colour();
  CHECK(result.most == 1);
  CHECK(parallel.lanes[0].colour == 0);
  CHECK(parallel.lanes[1].colour == 0);
}

TEST_CASE("lanes that share an end's tile alone differ, too") {
  ColourCase contention(byte_fabric(5, 5));
  contention.add({0, 2}, {2, 2}, {{Direction::east, 2}});
  contention.add({2, 2}, {4, 2}, {{Direction::east, 2}});
  CHECK(contention.colour().most == 2);
  CHECK(contention.lanes[0].colour != contention.lanes[1].colour);
}

TEST_CASE(
    "where long lanes first leave a tensor with no colour, lanes with little choice come first") {
  // A row of four lanes, each beside the next. With two colours the long ones at the ends get the
  // first both; then the third lane meets both colours. In their order along the row two suffice.
  Hardware row = byte_fabric(11, 1);
  row.routing.colours = 2;
  ColourCase chain(row);
  chain.add({0, 0}, {3, 0}, {{Direction::east, 3}});
  chain.add({3, 0}, {5, 0}, {{Direction::east, 2}});
  chain.add({5, 0}, {7, 0}, {{Direction::east, 2}});
  chain.add({7, 0}, {10, 0}, {{Direction::east, 3}});
  for (std::size_t i = 0; i < chain.lanes.size(); ++i) chain.lanes[i].tensor = i;
  CHECK(chain.colour().without.empty());
  for (std::size_t i = 1; i < chain.lanes.size(); ++i) {
    CHECK(chain.lanes[i].colour != chain.lanes[i - 1].colour);
  }
}

TEST_CASE("long lanes choose first") {
  ColourCase lengths(byte_fabric(5, 5));
  lengths.add({2, 1}, {2, 2}, {{Direction::north, 1}});
  lengths.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  lengths.colour();
  CHECK(lengths.lanes[0].colour == 1);
  CHECK(lengths.lanes[1].colour == 0);
}

TEST_CASE("a lane over a kernel's tiles has none of the kernel's colours") {
  ColourCase over(byte_fabric(5, 5));
  over.hardware.routing.colours = 4;
  over.hardware.routing.kernel_colours = 3;  // 1, 2 and 3
  over.traffic.blocks = {test::block("a", {1, 1, 3, 3})};
  over.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  const ColouringResult found = over.colour();
  CHECK(found.without.empty());
  CHECK(over.lanes[0].colour == 0);
  CHECK(found.most == 4);
}

TEST_CASE("a lane without a colour goes around, or is told if it cannot") {
  ColourCase around(byte_fabric(5, 5));
  around.hardware.routing.colours = 1;
  around.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  around.add({1, 1}, {3, 1}, {{Direction::north, 1}, {Direction::east, 2}, {Direction::south, 1}});
  CHECK(around.colour().without.empty());
  CHECK(around.lanes[1].legs == std::vector<PathLeg>{{Direction::east, 2}});
  CHECK(around.lanes[1].colour == 0);

  ColourCase cut(byte_fabric(5, 5));
  cut.hardware.routing.colours = 1;
  cut.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  cut.add({2, 1}, {2, 3}, {{Direction::north, 2}});  // the first lane is a wall
  const ColouringResult none = cut.colour();
  REQUIRE(none.without.size() == 1);
  CHECK(none.without[0].lane == 1);
  CHECK(none.without[0].fullest == TilePlace{2, 2});
  CHECK(cut.lanes[1].legs == std::vector<PathLeg>{{Direction::north, 2}});
}

TEST_CASE("the longest lane of every tensor chooses before all others") {
  ColourCase tensors(byte_fabric(5, 5));
  tensors.add({0, 2}, {4, 2}, {{Direction::east, 4}});
  tensors.add({1, 0}, {1, 3}, {{Direction::north, 3}});
  tensors.add({3, 1}, {3, 2}, {{Direction::north, 1}});
  tensors.lanes[2].tensor = 1;  // two lanes of the first tensor, one of another
  tensors.hardware.routing.colours = 2;
  CHECK(tensors.colour().without.empty());
  CHECK(tensors.lanes[0].colour == 0);
  CHECK(tensors.lanes[2].colour == 1);
  CHECK(tensors.lanes[1].colour == 1);
}

TEST_CASE("lanes that are left out give their bytes to the others of their tensor") {
  const auto lane = [](std::size_t tensor, std::int64_t bytes) {
    return LanePath{{{{0, 0}}, {{1, 0}}, bytes}, tensor, 0.1F, {{Direction::east, 1}}, 0};
  };
  const std::vector<LanePath> all{lane(0, 10), lane(0, 11), lane(0, 12), lane(1, 7)};
  std::vector<LanePath> lanes = all;
  CHECK_FALSE(leave_out(lanes, {}));
  CHECK(lanes.size() == 4);
  CHECK_FALSE(leave_out(lanes, {{1, {0, 0}}}));
  REQUIRE(lanes.size() == 3);
  CHECK(lanes[0].task.bytes == 10 + 5);
  CHECK(lanes[1].task.bytes == 12 + 6);
  CHECK(lanes[2].task.bytes == 7);

  // The last lane of a tensor cannot be left out: nothing changes.
  lanes = all;
  const auto none = leave_out(lanes, {{0, {0, 0}}, {3, {2, 1}}});
  REQUIRE(none);
  CHECK(none->lane == 3);
  CHECK(none->fullest == TilePlace{2, 1});
  CHECK(lanes.size() == 4);
  CHECK(lanes[1].task.bytes == 11);
}

}  // namespace
}  // namespace waferloom::router
