#include "router/flow/tensor_ends.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/support/complaint.h"
#include "tests/support/routing_cases.h"

namespace waferloom::router {
namespace {

using test::block;
using test::byte_fabric;
using Tiles = std::vector<TilePlace>;

Tiles tiles_of(const TensorEnd& end) {
  Tiles tiles;
  for (const EndTile& tile : end) tiles.push_back(tile.tile);
  return tiles;
}

std::vector<std::size_t> ports_of(const TensorEnd& end) {
  std::vector<std::size_t> ports;
  for (const EndTile& tile : end) ports.push_back(tile.port);
  return ports;
}

/// The ends of the first tensor of a traffic.
TensorEnds first_ends(const Traffic& traffic, const Hardware& hardware, double lane_ps = 0) {
  const Mesh mesh(hardware);
  return tensor_ends(traffic.tensors[0], traffic, hardware, mesh, LiveParts(mesh), lane_ps);
}

/// a, 2 × 3 tiles in the south west of 12 × 12, and another block.
Traffic to_block(const Rectangle& tiles, std::int64_t bytes = 100) {
  return {{block("a", {1, 1, 2, 3}), block("b", tiles)}, {}, {test::edge("ab", 0, 1, bytes)}};
}

TEST_CASE("lanes leave by the sides that face each other, in orders that do not cross") {
  const Hardware hardware = byte_fabric(12, 12);
  // East: left of the direction in which lanes leave is north, so both go from south to north.
  const TensorEnds east = first_ends(to_block({8, 4, 3, 2}), hardware);
  CHECK(tiles_of(east.from) == Tiles{{2, 1}, {2, 2}, {2, 3}});
  CHECK(tiles_of(east.to) == Tiles{{8, 4}, {8, 5}});
  // North: from east to west.
  const TensorEnds north = first_ends(to_block({3, 9, 3, 2}), hardware);
  CHECK(tiles_of(north.from) == Tiles{{2, 3}, {1, 3}});
  CHECK(tiles_of(north.to) == Tiles{{5, 9}, {4, 9}, {3, 9}});
  // West and south, from b to a.
  Traffic back = to_block({8, 4, 3, 2});
  back.tensors[0] = test::edge("ba", 1, 0, 100);
  const TensorEnds west = first_ends(back, hardware);
  CHECK(tiles_of(west.from) == Tiles{{8, 5}, {8, 4}});
  CHECK(tiles_of(west.to) == Tiles{{2, 3}, {2, 2}, {2, 1}});
  back.blocks[1].tiles = {3, 9, 3, 2};
  const TensorEnds south = first_ends(back, hardware);
  CHECK(tiles_of(south.from) == Tiles{{3, 9}, {4, 9}, {5, 9}});
  CHECK(tiles_of(south.to) == Tiles{{1, 3}, {2, 3}});
}

TEST_CASE("possible ends hold all that some number of lanes would choose") {
  // A high block in the middle of 20 x 9 tiles: with one lane the west side is nearest, with many
  // the south side, which is longer, but not the east side, which is no nearer and no longer.
  Hardware hardware = byte_fabric(20, 9);
  hardware.link.latency_ps = hardware.group_link.latency_ps = 1;
  Traffic traffic{{block("a", {4, 5, 12, 2})},
                  {{"w", {0, 5}, {}},
                   {"s1", {8, 0}, {}},
                   {"s2", {9, 0}, {}},
                   {"e", {19, 5}, {}},
                   {"s3", {10, 0}, {}},
                   {"s4", {11, 0}, {}}},
                  {test::input("in", 0, 1'000, {0, 1, 2, 3, 4, 5})}};
  const Mesh mesh(hardware);
  const LiveParts parts(mesh);
  const TensorEnds all = possible_ends(traffic.tensors[0], traffic, hardware, mesh, parts, 0);
  for (const std::int64_t lanes : {1, 2, 4, 8, 256}) {
    CAPTURE(lanes);
    Hardware fewer = hardware;
    fewer.routing.lanes_max = lanes;
    const TensorEnds ends = tensor_ends(traffic.tensors[0], traffic, fewer, mesh, parts, 0);
    const Tiles to = tiles_of(all.to);
    for (const TilePlace& tile : tiles_of(ends.to)) {
      CHECK(std::find(to.begin(), to.end(), tile) != to.end());
    }
    CHECK(all.lanes_most >= ends.lanes_most);
  }
  // Facing sides do not depend on lanes.
  const Traffic two = to_block({8, 4, 3, 2});
  const TensorEnds edge = possible_ends(two.tensors[0], two, hardware, mesh, parts, 0);
  CHECK(tiles_of(edge.from) == tiles_of(first_ends(two, hardware).from));
  CHECK(tiles_of(edge.to) == tiles_of(first_ends(two, hardware).to));
}

TEST_CASE("blocks face each other along the axis where they are farther apart, x if both") {
  const Hardware hardware = byte_fabric(12, 12);
  // 3 columns between x = 3 and x = 6, 3 rows between y = 4 and y = 7.
  CHECK(tiles_of(first_ends(to_block({6, 7, 1, 1}), hardware).to) == Tiles{{6, 7}});
  CHECK(first_ends(to_block({6, 7, 1, 1}), hardware).from[0].tile == TilePlace{2, 1});
  CHECK(first_ends(to_block({6, 8, 1, 1}), hardware).from[0].tile == TilePlace{2, 3});
  // Beside each other, without a gap: along y they overlap.
  CHECK(tiles_of(first_ends(to_block({3, 0, 1, 2}), hardware).to) == Tiles{{3, 0}, {3, 1}});
}

TEST_CASE("lanes are as many as the narrower end has tiles, the hardware allows and bytes") {
  Hardware hardware = byte_fabric(12, 12);
  CHECK(first_ends(to_block({8, 4, 3, 2}), hardware).lanes == 2);
  CHECK(first_ends(to_block({8, 4, 3, 5}), hardware).lanes == 3);
  CHECK(first_ends(to_block({8, 4, 3, 5}, 2), hardware).lanes == 2);
  CHECK(first_ends(to_block({8, 4, 3, 5}, 0), hardware).lanes == 1);
  hardware.routing.lanes_max = 2;
  CHECK(first_ends(to_block({8, 4, 3, 5}), hardware).lanes == 2);
}

TEST_CASE("lanes are no more than a lane's time asks for") {
  const Hardware hardware = byte_fabric(12, 12);
  // 100 bytes at a byte a picosecond.
  using Wish = std::pair<double, std::int64_t>;
  for (const Wish& wish : {Wish{100, 1}, {99, 2}, {50, 2}, {49, 3}, {1, 3}}) {
    CAPTURE(wish.first);
    const TensorEnds ends = first_ends(to_block({8, 4, 3, 5}), hardware, wish.first);
    CHECK(ends.lanes == wish.second);
    CHECK(ends.lanes_most == 3);
  }
}

TEST_CASE("tiles that no live link leaves are no begins, those that none reaches no ends") {
  Hardware hardware = byte_fabric(12, 12);
  const Traffic from{
      {block("a", {2, 2, 1, 1}), block("b", {8, 4, 3, 5})}, {}, {test::edge("ab", 0, 1, 100)}};
  const Traffic to{from.blocks, {}, {test::edge("ba", 1, 0, 100)}};
  for (const Direction direction : kDirections) hardware.dead_links.push_back({2, 2, direction});
  CHECK(first_ends(from, hardware).from.empty());
  CHECK(tiles_of(first_ends(to, hardware).to) == Tiles{{2, 2}});
  // Of the links into it one is left, then none.
  hardware.dead_links = {
      {1, 2, Direction::east}, {3, 2, Direction::west}, {2, 1, Direction::north}};
  CHECK(tiles_of(first_ends(to, hardware).to) == Tiles{{2, 2}});
  hardware.dead_links.push_back({2, 3, Direction::south});
  CHECK(first_ends(to, hardware).to.empty());
  CHECK(tiles_of(first_ends(from, hardware).from) == Tiles{{2, 2}});
  hardware.wafer.dead = {{2, 2, 1, 1}};
  const TensorEnds none = first_ends(from, hardware);
  CHECK((none.from.empty() && none.to.empty()));
}

TEST_CASE("ports in a corner that dead tiles cut off are not used") {
  Hardware hardware = byte_fabric(9, 9);
  hardware.wafer.dead = {{1, 0, 1, 1}, {0, 1, 1, 1}};
  const Traffic traffic{{block("a", {3, 3, 3, 3})},
                        {{"corner", {0, 0}, {}}, {"west", {0, 4}, {}}},
                        {test::input("in", 0, 90, {0, 1})}};
  CHECK(first_ends(traffic, hardware).from.size() == 1);
  CHECK(first_ends(traffic, hardware).from[0].port == 1);
}

TEST_CASE("of ends that dead tiles part, those in the part with most lanes are taken") {
  // (2, 1) of a's side and (3, 1) beside it are shut in.
  Hardware hardware = byte_fabric(12, 12);
  Traffic traffic = to_block({8, 4, 1, 5});
  hardware.wafer.dead = {{1, 0, 3, 1}, {4, 1, 1, 1}, {3, 2, 1, 1}};
  hardware.dead_links = {{2, 1, Direction::west},
                         {1, 1, Direction::east},
                         {2, 1, Direction::north},
                         {2, 2, Direction::south}};
  CHECK(tiles_of(first_ends(traffic, hardware).from) == Tiles{{2, 2}, {2, 3}});
  CHECK(first_ends(traffic, hardware).to.size() == 5);
  CHECK(first_ends(traffic, hardware).lanes == 2);
  // A wall between them: the ends are what they were.
  hardware.wafer.dead = {{6, 0, 1, 12}};
  hardware.dead_links.clear();
  CHECK(first_ends(traffic, hardware).from.size() == 3);
  CHECK(first_ends(traffic, hardware).to.size() == 5);
}

TEST_CASE("where any side may be used, it is that by which a sample arrives first") {
  Hardware hardware = byte_fabric(12, 12);
  // A block over a: facing sides are north and south with one tile each, a lane of 100 bytes. The
  // east sides have three tiles.
  const Traffic traffic = {
      {block("a", {1, 1, 1, 3}), block("b", {1, 6, 1, 3})}, {}, {test::edge("ab", 0, 1, 99)}};
  CHECK(first_ends(traffic, hardware).lanes == 1);
  hardware.routing.lane_sides = LaneSides::any;
  const TensorEnds ends = first_ends(traffic, hardware);
  CHECK(ends.lanes == 3);
  CHECK(ends.from.size() == 3);
  // 99 ps and 3 hops from border to border, against 33 ps and 5 hops between the middles: a hop of
  // 40 ps makes the near sides the better ones.
  hardware.link.latency_ps = 40;
  hardware.group_link = hardware.link;
  CHECK(first_ends(traffic, hardware).lanes == 1);
}

/// Six ports around a mesh of 9 × 9 tiles with a block in its middle: the input may use all.
Traffic around() {
  return {{block("a", {3, 3, 3, 3})},
          {{"w", {0, 4}, {}},
           {"n", {4, 8}, {}},
           {"e", {8, 4}, {}},
           {"s", {4, 0}, {}},
           {"nw", {1, 8}, {}},
           {"sw", {0, 1}, {}}},
          {test::input("in", 0, 90, {0, 1, 2, 3, 4, 5})}};
}

TEST_CASE("inputs come from the ports before the side that they arrive at first") {
  Hardware hardware = byte_fabric(9, 9);
  Traffic traffic = around();
  hardware.link.latency_ps = 1;
  hardware.group_link = hardware.link;
  // The nearest port of each side is 3 hops from its middle. Before the west side there are three
  // ports, for a third of the bytes each: 30 + 3 ps. They are in clockwise order; lanes arrive
  // towards east, south to north.
  const TensorEnds west = first_ends(traffic, hardware);
  CHECK(ports_of(west.from) == std::vector<std::size_t>{5, 0, 4});
  CHECK(tiles_of(west.to) == Tiles{{3, 3}, {3, 4}, {3, 5}});
  CHECK(west.lanes == 3);
  // Without the middle one in the west: north and south have two each, of which north comes first.
  traffic.tensors[0].ports = {1, 2, 3, 4, 5};
  const TensorEnds north = first_ends(traffic, hardware);
  CHECK(ports_of(north.from) == std::vector<std::size_t>{4, 1});
  CHECK(tiles_of(north.to) == Tiles{{3, 5}, {4, 5}, {5, 5}});
  traffic.tensors[0].ports = {2};
  const TensorEnds east = first_ends(traffic, hardware);
  CHECK(ports_of(east.from) == std::vector<std::size_t>{2});
  CHECK(tiles_of(east.to) == Tiles{{5, 5}, {5, 4}, {5, 3}});
}

TEST_CASE("ports before the south side are in one piece around the mesh's first corner") {
  Traffic traffic = around();
  traffic.tensors[0] = test::output("out", 0, 90, {3, 5});
  // Before the south side: (4, 0), then (0, 1). It is 3 hops from the first.
  Hardware slow = byte_fabric(9, 9);
  slow.link.latency_ps = 1;
  slow.group_link = slow.link;
  const TensorEnds south = first_ends(traffic, slow);
  CHECK(ports_of(south.to) == std::vector<std::size_t>{3, 5});
  CHECK(ports_of(south.from) == std::vector<std::size_t>(3, SIZE_MAX));
  CHECK(tiles_of(south.from) == Tiles{{3, 3}, {4, 3}, {5, 3}});
}

TEST_CASE("ports do not limit lanes; a tensor without block is refused") {
  const Hardware hardware = byte_fabric(9, 9);
  Traffic traffic = around();
  traffic.tensors[0].ports = {2};
  CHECK(first_ends(traffic, hardware).lanes == 3);
  traffic.tensors[0].consumer = TrafficTensor::kOutside;
  CHECK(test::complaint_of<std::logic_error>([&] { (void)first_ends(traffic, hardware); }) ==
        "tensor in joins no block");
}

TEST_CASE("of sides that are as fast, an input takes the one whose tiles' ways carry less") {
  // The port in the north west lies before the west side and the north side.
  const Traffic traffic{
      {block("a", {4, 4, 2, 2})}, {{"p", {0, 9}, {}}}, {test::input("in", 0, 10, {0})}};
  const Hardware hardware = byte_fabric(10, 10);
  const Mesh mesh(hardware);
  WayLoads loads;
  for (const TilePlace& tile : Tiles{{4, 4}, {4, 5}}) loads.ways.into[mesh.node(tile)] = 100;
  const auto side = [&] {
    Tiles tiles = tiles_of(
        tensor_ends(traffic.tensors[0], traffic, hardware, mesh, LiveParts(mesh), 0, loads).to);
    std::sort(tiles.begin(), tiles.end(), [](const TilePlace& a, const TilePlace& b) {
      return std::pair(a.x, a.y) < std::pair(b.x, b.y);
    });
    return tiles;
  };
  CHECK(side() == Tiles{{4, 4}, {4, 5}});  // any load is easy
  // West (200 + 10) / 2 bytes a tile, north (100 + 10) / 2.
  loads.easy_bytes = 104;
  CHECK(side() == Tiles{{4, 5}, {5, 5}});
  loads.easy_bytes = 105;
  CHECK(side() == Tiles{{4, 4}, {4, 5}});
}

}  // namespace
}  // namespace waferloom::router
