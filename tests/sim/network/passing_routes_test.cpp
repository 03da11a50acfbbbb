#include <doctest/doctest.h>

#include <vector>

#include "sim/network/network.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

/// When two transfers of 1,000 bytes are through that leave the middle of a mesh, east and north.
Picoseconds both_through(NetworkKind kind, bool passes_by) {
  const Hardware hardware = small_fabric(3, 3);  // a byte in 1,000 ps, 1,000 ps a hop
  const Mesh mesh(hardware);
  const auto network = make_network(kind, mesh, hardware);
  TransferId id = 0;
  for (const Direction direction : {Direction::east, Direction::north}) {
    Route route{mesh.node({1, 1}), {{mesh.node({1, 1}), direction, 1, Leg::kNone, true}}};
    route.passes_by = passes_by;
    network->submit(0, Transfer{id++, route, 1'000});
  }
  Picoseconds now = 0;
  std::vector<TransferId> arrived;
  while (arrived.size() < 2) {
    now = network->next_time();
    REQUIRE(now != kNever);
    network->advance(now, arrived);
  }
  return now;
}

TEST_CASE("bytes that pass a tile by take no share of what it sends") {
  for (const NetworkKind kind : {NetworkKind::fair, NetworkKind::exclusive}) {
    CHECK(both_through(kind, true) == 1'000'000 + 1'000);
    // The tile's one way into the mesh is as fast as a link.
    CHECK(both_through(kind, false) >= 2'000'000);
  }
}

}  // namespace
}  // namespace waferloom::sim
