#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/mesh/link_bytes.h"
#include "sim/mesh/port_hops.h"
#include "sim/mesh/route_planner.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::sim {
namespace {

using test::close_to;

Hardware torus(std::int64_t columns, std::int64_t rows) {
  Hardware hardware = small_fabric(columns, rows);
  hardware.topology = Topology::torus;
  return hardware;
}

Hardware opposite_torus(std::int64_t columns, std::int64_t rows) {
  Hardware hardware = torus(columns, rows);
  hardware.networks = Networks::opposite;
  return hardware;
}

Route planned(const Mesh& mesh, NodeIndex from, NodeIndex to) {
  return RoutePlanner(mesh, Routing::xy).plan(from, to, 0, 1).value();
}

/// The tile where following its links from the source ends; each link has to begin where the one
/// before ended.
NodeIndex end_of_links(const Mesh& mesh, const Route& route) {
  NodeIndex at = route.source;
  for_each_link(mesh, route, [&](LinkIndex link) {
    REQUIRE(Mesh::source(link) == at);
    at = mesh.neighbour(at, Mesh::direction(link));
  });
  return at;
}

/// Messages over each link if each tile sends one to every other.
std::vector<std::int64_t> all_to_all(const Mesh& mesh) {
  std::vector<std::int64_t> loads(mesh.link_count(), 0);
  RoutePlanner planner(mesh, Routing::xy);
  for (NodeIndex from = 0; from < mesh.node_count(); ++from) {
    for (NodeIndex to = 0; to < mesh.node_count(); ++to) {
      if (from == to || mesh.is_dead(from) || mesh.is_dead(to)) continue;
      const Route route = planner.plan(from, to, 0, 1).value();
      for_each_link(mesh, route, [&](LinkIndex link) { ++loads[link]; });
    }
  }
  return loads;
}

TEST_CASE("a torus: the last tile of a row or column is the first one's neighbour") {
  const Mesh mesh(torus(4, 3));
  CHECK(mesh.neighbour(mesh.node(3, 1), Direction::east) == mesh.node(0, 1));
  CHECK(mesh.neighbour(mesh.node(0, 1), Direction::west) == mesh.node(3, 1));
  CHECK(mesh.neighbour(mesh.node(2, 2), Direction::north) == mesh.node(2, 0));
  CHECK(mesh.neighbour(mesh.node(2, 0), Direction::south) == mesh.node(2, 2));
  CHECK(mesh.neighbour(mesh.node(1, 1), Direction::east) == mesh.node(2, 1));
  CHECK(mesh.is_around(Mesh::link(mesh.node(3, 1), Direction::east)));
  CHECK_FALSE(mesh.is_around(Mesh::link(mesh.node(2, 1), Direction::east)));
  for (LinkIndex link = 0; link < mesh.link_count(); ++link) CHECK_FALSE(mesh.is_dead_link(link));
  // A row of one tile has no neighbour along it.
  const Mesh column(torus(1, 3));
  CHECK(column.is_dead_link(Mesh::link(0, Direction::east)));
  CHECK_FALSE(column.is_dead_link(Mesh::link(0, Direction::south)));
}

TEST_CASE("routes on a torus are as short as can be, and end where they should") {
  for (const auto& [columns, rows] : {std::pair{5, 4}, {2, 7}, {1, 3}}) {
    const Mesh mesh(torus(columns, rows));
    const auto least = [](std::int64_t a, std::int64_t b, std::int64_t side) {
      const std::int64_t apart = std::abs(a - b);
      return std::min(apart, side - apart);
    };
    for (NodeIndex from = 0; from < mesh.node_count(); ++from) {
      for (NodeIndex to = 0; to < mesh.node_count(); ++to) {
        const Route route = planned(mesh, from, to);
        CHECK(end_of_links(mesh, route) == to);
        CHECK(link_count(route) ==
              least(mesh.x(from), mesh.x(to), columns) + least(mesh.y(from), mesh.y(to), rows));
      }
    }
  }
  // A leg ends where it has come around.
  const Mesh mesh(torus(5, 4));
  const Route route = planned(mesh, mesh.node(3, 0), mesh.node(0, 0));
  CHECK(route.legs == std::vector<Leg>{{mesh.node(3, 0), Direction::east, 2, Leg::kNone, true}});
  const Route beyond = planned(mesh, mesh.node(4, 0), mesh.node(1, 0));
  CHECK(beyond.legs == std::vector<Leg>{{mesh.node(4, 0), Direction::east, 1, Leg::kNone, false},
                                        {mesh.node(0, 0), Direction::east, 1, 0, true}});
}

TEST_CASE("an all-to-all loads no link of a torus beyond the bound of its bisection") {
  // k² / 2 tiles send to as many beyond a cut of 2 k links: k³ / 8 messages a link of even k.
  // Of odd k a link along a ring carries (k² - 1) / 8 of each of k rows.
  for (const std::int64_t side : {4, 6, 8, 10, 5}) {
    CAPTURE(side);
    const Mesh mesh(torus(side, side));
    const std::vector<std::int64_t> loads = all_to_all(mesh);
    const auto k = static_cast<double>(side);
    const double bound = side % 2 == 0 ? k * k * k / 8 : k * (k * k - 1) / 8;
    const auto busiest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
    CHECK(busiest == close_to(bound).within(0.02));
  }
}

TEST_CASE("bytes of a link are those of the routes over it, around the torus too") {
  const Mesh mesh(torus(5, 4));
  LinkBytes counted(mesh);
  std::vector<std::int64_t> expected(mesh.link_count(), 0);
  for (NodeIndex from = 0; from < mesh.node_count(); ++from) {
    for (NodeIndex to = 0; to < mesh.node_count(); ++to) {
      const std::int64_t bytes = 1 + from * 7 + to;
      const Route route = planned(mesh, from, to);
      counted.count(route, bytes);
      for_each_link(mesh, route, [&](LinkIndex link) { expected[link] += bytes; });
    }
  }
  CHECK(counted.totals() == expected);
}

TEST_CASE("ways around that are as long take turns on tori that are no squares, too") {
  // Along a ring of k tiles (even k) a link carries k² / 8 of each of the other side's tiles.
  const auto of_ring = [](std::int64_t side, std::int64_t other) {
    return other * (side % 2 == 0 ? side * side : side * side - 1);
  };
  for (const auto& sides : {std::pair{8, 1}, {1, 8}, {8, 3}, {4, 5}, {6, 4}}) {
    CAPTURE(sides.first);
    CAPTURE(sides.second);
    const std::vector<std::int64_t> loads = all_to_all(Mesh(torus(sides.first, sides.second)));
    const auto eighths =
        std::max(of_ring(sides.first, sides.second), of_ring(sides.second, sides.first));
    const auto busiest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
    CHECK(busiest <= 1.02 * static_cast<double>(eighths) / 8 + 0.5);
  }
}

TEST_CASE("bisections by hand: links between the halves, twice as many on a torus") {
  Hardware hardware = small_fabric(6, 8);
  hardware.link = hardware.group_link = {5, 0};
  CHECK(hardware_totals(hardware).bisection_bytes_per_s == 6 * 5);
  hardware.topology = Topology::torus;
  CHECK(hardware_totals(hardware).bisection_bytes_per_s == 2 * 6 * 5);
  hardware.column_link = LinkClass{50, 0};
  CHECK(hardware_totals(hardware).bisection_bytes_per_s == 2 * 8 * 5);
  hardware.wafer.dead = {{2, 0, 1, 3}};  // on the near side of the cut between the columns
  CHECK(hardware_totals(hardware).bisection_bytes_per_s == (2 * 8 - 3) * 5);
  hardware.passing = {{2, 0, 1, 3}};
  const HardwareTotals passing = hardware_totals(hardware);
  CHECK(passing.bisection_bytes_per_s == 2 * 8 * 5);
  CHECK(passing.dead_tiles == 3);
  CHECK(passing.passing_tiles == 3);
}

TEST_CASE("opposite networks: east and north, or west and south, by what is shorter in all") {
  const Mesh mesh(opposite_torus(5, 4));
  for (NodeIndex from = 0; from < mesh.node_count(); ++from) {
    for (NodeIndex to = 0; to < mesh.node_count(); ++to) {
      const Route route = planned(mesh, from, to);
      CHECK(end_of_links(mesh, route) == to);
      const auto east = static_cast<std::int64_t>((mesh.x(to) + 5 - mesh.x(from)) % 5);
      const auto north = static_cast<std::int64_t>((mesh.y(to) + 4 - mesh.y(from)) % 4);
      const std::int64_t back = (5 - east) % 5 + (4 - north) % 4;
      CHECK(link_count(route) == std::min(east + north, back));
      for (const Leg& leg : route.legs) {
        CHECK(is_upward(leg.direction) == is_upward(route.legs.front().direction));
      }
    }
  }
  // Between both networks no link has much more than the mean.
  const std::vector<std::int64_t> loads = all_to_all(Mesh(opposite_torus(8, 8)));
  const auto sum = std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
  CHECK(static_cast<double>(*std::max_element(loads.begin(), loads.end())) ==
        close_to(static_cast<double>(sum) / static_cast<double>(loads.size())).within(0.03));
}

TEST_CASE("routes pass through tiles that do not compute, and around dead ones") {
  Hardware hardware = torus(6, 6);
  hardware.passing = {{0, 2, 6, 1}};
  hardware.wafer.dead = hardware.passing;
  const Mesh mesh(hardware);
  CHECK(mesh.is_dead(mesh.node(1, 2)));
  CHECK(mesh.is_passing(mesh.node(1, 2)));
  const Route through = planned(mesh, mesh.node(1, 1), mesh.node(1, 3));
  CHECK(link_count(through) == 2);
  // Dead for good, another rectangle over one of them: the way leads around it.
  hardware.wafer.dead.push_back({1, 2, 1, 1});
  const Mesh broken(hardware);
  CHECK_FALSE(broken.is_passing(broken.node(1, 2)));
  const Route around = planned(broken, broken.node(1, 1), broken.node(1, 3));
  CHECK(end_of_links(broken, around) == broken.node(1, 3));
  CHECK(link_count(around) == 4);
  // Around the torus, within one network: west and south alone take the long way.
  hardware.networks = Networks::opposite;
  const Mesh apart(hardware);
  const Route long_way = planned(apart, apart.node(1, 1), apart.node(1, 3));
  CHECK(end_of_links(apart, long_way) == apart.node(1, 3));
  CHECK(link_count(long_way) == 4);
  for (const Leg& leg : long_way.legs) {
    CHECK(is_upward(leg.direction) == is_upward(long_way.legs.front().direction));
  }
}

TEST_CASE("links of columns have their own rate") {
  Hardware hardware = small_fabric(3, 3);
  hardware.link = hardware.group_link = {1'000'000'000'000, 10};
  hardware.column_link = LinkClass{250'000'000'000, 40};
  const Mesh mesh(hardware);
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::east)) == 1);
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::north)) == 0.25);
  CHECK(mesh.bytes_per_ps(Mesh::link(4, Direction::south)) == 0.25);
  CHECK(mesh.slowest_bytes_per_ps() == 0.25);
  CHECK(route_latency(mesh, planned(mesh, 0, 8)) == 2 * 10 + 2 * 40);
}

TEST_CASE("hops to a port are those of its route") {
  for (const Hardware& hardware : {torus(10, 12), opposite_torus(10, 12), opposite_torus(5, 3)}) {
    const Mesh mesh(hardware);
    for (NodeIndex port = 0; port < mesh.node_count(); ++port) {
      for (NodeIndex tile = 0; tile < mesh.node_count(); ++tile) {
        const TilePlace at = mesh.place(tile);
        CHECK(hops_over(hardware, mesh.place(port), {at.x, at.y, 1, 1}) ==
              link_count(planned(mesh, port, tile)));
      }
    }
  }

  // To the nearest tile of a rectangle.
  const Hardware hardware = torus(10, 12);
  CHECK(hops_over(hardware, {9, 11}, {0, 0, 1, 1}) == 2);
  CHECK(hops_over(hardware, {5, 5}, {4, 3, 3, 3}) == 0);
  CHECK(hops_over(hardware, {0, 0}, {7, 2, 2, 2}) == 2 + 2);
  CHECK(hops_over(opposite_torus(10, 12), {0, 0}, {7, 2, 2, 2}) == 7 + 2);
  CHECK(hops_over(small_fabric(10, 12), {9, 11}, {0, 0, 1, 1}) == 9 + 11);
}

TEST_CASE("Wormhole with a harvested row: 72 tiles, every one of which reaches every DRAM port") {
  const Hardware whole = test::preset_hardware("wormhole");
  const Hardware harvested = test::preset_hardware("wormhole72");
  CHECK(Living(whole).joined_tiles() == 80);
  const Living living(harvested);
  CHECK(living.joined_tiles() == 72);
  CHECK(living.dram_ports().places.size() == 18);
  CHECK(living.dram_ports().bytes_per_s == 288'000'000'000);
  CHECK(Living(test::preset_hardware("blackhole")).joined_tiles() == 140);
  CHECK(Living(test::preset_hardware("blackhole120")).joined_tiles() == 120);
  const Mesh mesh(harvested);
  RoutePlanner planner(mesh, Routing::xy);
  for (NodeIndex tile = 0; tile < mesh.node_count(); ++tile) {
    if (mesh.is_dead(tile)) continue;
    for (const EdgePort& port : harvested.dram_ports) {
      const NodeIndex at = mesh.node(port_tile(harvested.wafer, port));
      const Route route = planner.plan(at, tile, 0, 1).value();
      CHECK(end_of_links(mesh, route) == tile);
    }
  }
  // From row 10 to row 1 the shorter way is through row 11, which does not compute.
  const Route across = planner.plan(mesh.node(3, 10), mesh.node(3, 1), 0, 1).value();
  CHECK(link_count(across) == 3);
}

}  // namespace
}  // namespace waferloom::sim
