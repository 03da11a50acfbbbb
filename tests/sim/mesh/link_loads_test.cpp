#include "sim/mesh/link_loads.h"

#include <doctest/doctest.h>

#include <random>

#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route_planner.h"

namespace waferloom::sim {
namespace {

/// Columns by rows, in groups of 3 x 2 between which links are slower where `grouped`.
Hardware fabric(std::int64_t columns, std::int64_t rows, bool grouped) {
  Hardware hardware;
  hardware.wafer.width = columns;
  hardware.wafer.height = rows;
  hardware.link = {.bytes_per_s = 1'000'000'000'000, .latency_ps = 1'000};
  hardware.group_link = hardware.link;
  if (!grouped) return hardware;
  hardware.group_columns = 3;
  hardware.group_rows = 2;
  hardware.group_link.bytes_per_s = 400'000'000'000;
  return hardware;
}

TEST_CASE("the busiest link is the one that all links' bytes have as such") {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp)
  for (const bool grouped : {false, true}) {
    for (int round = 0; round < 200; ++round) {
      const Mesh mesh(fabric(1 + random() % 9, 1 + random() % 9, grouped));
      RoutePlanner planner(mesh, random() % 2 == 0 ? Routing::xy : Routing::yx);
      LinkBytes all(mesh);
      LinkLoads loads(mesh);
      for (std::uint32_t i = 0; i < 1 + random() % 12; ++i) {
        const auto tile = [&] { return static_cast<NodeIndex>(random() % mesh.node_count()); };
        const NodeIndex from = tile();
        const std::int64_t bytes = 100 * (random() % 4);
        const auto route = planner.plan(from, tile(), 0, bytes);
        all.count(*route, bytes);
        loads.count(*route, bytes);
      }
      LinkIndex expected = 0;
      const std::vector<std::int64_t> bytes = all.totals();
      for (LinkIndex link = 0; link < mesh.link_count(); ++link) {
        if (link_time(mesh, link, bytes[link]) > link_time(mesh, expected, bytes[expected])) {
          expected = link;
        }
      }
      const LinkLoads::Busiest found = loads.busiest();
      CHECK(found.time == link_time(mesh, expected, bytes[expected]));
      if (bytes[expected] > 0) CHECK(found.link == expected);
    }
  }
}

TEST_CASE("two routes along a row meet where both pass") {
  const Mesh mesh(fabric(8, 3, false));
  RoutePlanner planner(mesh, Routing::xy);
  LinkLoads loads(mesh);
  loads.count(*planner.plan(mesh.node(0, 1), mesh.node(5, 1), 0, 0), 3'000);
  loads.count(*planner.plan(mesh.node(3, 1), mesh.node(7, 1), 0, 0), 2'000);
  loads.count(*planner.plan(mesh.node(5, 1), mesh.node(0, 1), 0, 0), 4'000);  // the other way
  const LinkLoads::Busiest found = loads.busiest();
  CHECK(found.link == Mesh::link(mesh.node(3, 1), Direction::east));
  CHECK(found.time == 5'000);  // bytes at one a picosecond
}

TEST_CASE("on switched hardware every tile's links are its own") {
  Hardware hardware = fabric(4, 2, false);
  hardware.topology = Topology::switched;
  const Mesh mesh(hardware);
  RoutePlanner planner(mesh, Routing::xy);
  LinkLoads loads(mesh);
  const auto send = [&](NodeIndex from, NodeIndex to, std::int64_t bytes) {
    loads.count(*planner.plan(from, to, 0, 0), bytes);
  };
  send(mesh.node(0, 0), mesh.node(1, 0), 3'000);
  send(mesh.node(0, 0), mesh.node(2, 0), 3'000);
  send(mesh.node(3, 0), mesh.node(1, 0), 1'000);
  CHECK(loads.busiest().time == 6'000);  // out of tile (0, 0)
  send(mesh.node(3, 0), mesh.node(1, 0), 4'000);
  CHECK(loads.busiest().time == 8'000);  // into tile (1, 0)
}

TEST_CASE("nothing that moves makes no link busy") {
  const Mesh mesh(fabric(3, 3, false));
  LinkLoads loads(mesh);
  CHECK(loads.busiest().time == 0);
}

}  // namespace
}  // namespace waferloom::sim
