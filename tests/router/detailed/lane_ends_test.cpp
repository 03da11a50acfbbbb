#include "router/detailed/lane_ends.h"

#include <doctest/doctest.h>

#include "tests/kernels/random_kernels.h"
#include "tests/support/close_to.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::byte_fabric;
using test::close_to;

void check_spread(const std::vector<double>& wishes, double apart,
                  const std::vector<double>& expected) {
  const std::vector<double> places = spread(wishes, apart);
  REQUIRE(places.size() == expected.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    CHECK(places[i] == close_to(expected[i]).or_within(1e-12));
}

TEST_CASE("wishes that are far enough apart are kept, others share their way off them") {
  check_spread({}, 1, {});
  check_spread({2}, 1, {2});
  check_spread({0, 3, 4}, 1, {0, 3, 4});
  // Two at one place: half a step each.
  check_spread({5, 5}, 1, {4.5, 5.5});
  // Three, and one that is pushed by them: less i, wishes are 5, 4, 3, 3, whose mean is 3.75.
  check_spread({5, 5, 5, 6}, 1, {3.75, 4.75, 5.75, 6.75});
  // Less i: 4, 1 | 5. The first two meet at 2.5, the last stays.
  check_spread({4, 2, 7}, 1, {2.5, 3.5, 7});
  check_spread({3, 1}, 0, {2, 2});
  check_spread({1, 1, 1}, 0.5, {0.5, 1, 1.5});
}

/// Lanes from the east side of a block of x = 0 to the west side of one of x = 5.
TensorEnds facing(std::int64_t from, std::int64_t to, std::int64_t lanes) {
  TensorEnds ends;
  for (std::int64_t y = 0; y < from; ++y) ends.from.push_back({{0, y}});
  for (std::int64_t y = 0; y < to; ++y) ends.to.push_back({{5, y}});
  ends.lanes = lanes;
  ends.lanes_most = lanes;
  return ends;
}

std::vector<LaneTask> lanes_of(const TensorEnds& ends, std::int64_t bytes) {
  const Mesh mesh(byte_fabric(6, 16));
  TileLoads loads;
  return lane_ends(ends, bytes, mesh, loads);
}

TEST_CASE("lanes are even along the end with fewer tiles, and opposite to these at the other") {
  const std::vector<LaneTask> lanes = lanes_of(facing(4, 12, 2), 9);
  REQUIRE(lanes.size() == 2);
  // Middles of the halves of four tiles: 1 and 3; and as much beside each other.
  CHECK(lanes[0].from.tile == TilePlace{0, 1});
  CHECK(lanes[1].from.tile == TilePlace{0, 3});
  CHECK(lanes[0].to.tile == TilePlace{5, 1});
  CHECK(lanes[1].to.tile == TilePlace{5, 3});
  CHECK(lanes[0].bytes == 5);
  CHECK(lanes[1].bytes == 4);
}

TEST_CASE("lanes keep the order of their ends, a tile each") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    test::RandomKernels draw(seed);
    const std::int64_t from = draw.between(1, 16);
    const std::int64_t to = draw.between(1, 16);
    const std::int64_t count = draw.between(1, std::min(from, to));
    const std::int64_t bytes = draw.between(count, 1'000);
    const std::vector<LaneTask> lanes = lanes_of(facing(from, to, count), bytes);
    REQUIRE(std::ssize(lanes) == count);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      sum += lanes[i].bytes;
      if (i == 0) continue;
      CHECK(lanes[i].from.tile.y > lanes[i - 1].from.tile.y);
      CHECK(lanes[i].to.tile.y > lanes[i - 1].to.tile.y);
    }
    CHECK(sum == bytes);
  }
}

TEST_CASE("a lane takes a tile beside its own where others leave less") {
  const Mesh mesh(byte_fabric(6, 16));
  TileLoads loads;
  loads.lanes[mesh.node(TilePlace{0, 2})] = 100;
  const std::vector<LaneTask> lanes = lane_ends(facing(5, 5, 1), 7, mesh, loads);
  REQUIRE(lanes.size() == 1);
  CHECK(lanes[0].from.tile == TilePlace{0, 1});
  CHECK(lanes[0].to.tile == TilePlace{5, 1});
  CHECK(loads.ways.out_of[mesh.node(TilePlace{0, 1})] == 7);
  CHECK(loads.ways.into[mesh.node(TilePlace{5, 1})] == 7);
  CHECK(loads.ways.out_of[mesh.node(TilePlace{0, 2})] == 0);
}

TEST_CASE("lone lanes of a side of two tiles take turns where one way would be busy") {
  const Mesh mesh(byte_fabric(6, 16));
  TileLoads loads;
  loads.ways.into[mesh.node(TilePlace{0, 1})] = 100;  // no lane that leaves takes this way
  const std::vector<LaneTask> first = lane_ends(facing(2, 2, 1), 7, mesh, loads, 7);
  const std::vector<LaneTask> second = lane_ends(facing(2, 2, 1), 5, mesh, loads, 7);
  CHECK(first[0].from.tile.y + second[0].from.tile.y == 1);
  CHECK(first[0].to.tile.y + second[0].to.tile.y == 1);
  for (const std::int64_t y : {0, 1}) {
    CHECK(loads.ways.out_of[mesh.node(TilePlace{0, y})] <= 7);
    CHECK(loads.ways.into[mesh.node(TilePlace{5, y})] <= 7);
  }
}

TEST_CASE("lanes leave out a tile whose way is too busy, where that makes the busiest carry less") {
  const Mesh mesh(byte_fabric(6, 16));
  const auto lanes_beside = [&](std::int64_t carried, double most) {
    TileLoads loads;
    loads.ways.out_of[mesh.node(TilePlace{0, 1})] = carried;
    return lane_ends(facing(2, 2, 2), 20, mesh, loads, most);
  };
  // A lane on either: 100 + 10 bytes. One lane on the other: 100, which were there before.
  const std::vector<LaneTask> alone = lanes_beside(100, 50);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].from.tile == TilePlace{0, 0});
  CHECK(alone[0].bytes == 20);
  // 5 + 10 bytes are less than 20.
  CHECK(lanes_beside(5, 10).size() == 2);
  // 110 bytes are easy.
  CHECK(lanes_beside(100, 110).size() == 2);
}

TEST_CASE("what has one tile alone to end at comes before what can move") {
  const Mesh mesh(byte_fabric(6, 16));
  TensorEnds fixed = facing(2, 2, 1);
  fixed.from = {{{0, 1}}};
  const auto lanes = all_lane_ends({facing(2, 2, 1), fixed}, {100, 10}, mesh, 0);
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[0][0].from.tile == TilePlace{0, 0});
  CHECK(lanes[1][0].from.tile == TilePlace{0, 1});
}

TEST_CASE("lanes from one port share it, and are even at the block") {
  TensorEnds ends = facing(1, 6, 3);
  ends.from = {{{0, 3}, 4}};
  const std::vector<LaneTask> lanes = lanes_of(ends, 30);
  REQUIRE(lanes.size() == 3);
  std::vector<std::int64_t> rows;
  for (const LaneTask& lane : lanes) {
    CHECK(lane.from.tile == TilePlace{0, 3});
    CHECK(lane.from.port == 4);
    CHECK(lane.to.port == SIZE_MAX);
    CHECK(lane.bytes == 10);
    rows.push_back(lane.to.tile.y);
  }
  CHECK(rows == std::vector<std::int64_t>{1, 3, 5});
}

}  // namespace
}  // namespace waferloom::router
