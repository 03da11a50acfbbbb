#include "sim/mesh/route.h"

#include <doctest/doctest.h>

#include <vector>

#include "model/errors.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// 6 x 4 tiles in groups of 2 x 2: a byte in 1,000 ps and 1,000 ps a hop inside, in 4,000 ps and
/// 10,000 ps between groups.
Hardware grouped() {
  Hardware hardware = small_fabric(6, 4);
  hardware.group_columns = 2;
  hardware.group_rows = 2;
  hardware.group_link = {250'000'000, 10'000};
  return hardware;
}

/// From (1, 2): two hops east, from there one north and two south; and one hop west.
Route tree(const Mesh& mesh) {
  const NodeIndex from = mesh.node(1, 2);
  return {from,
          {{from, Direction::east, 2, Leg::kNone, false},
           {mesh.node(3, 2), Direction::north, 1, 0, true},
           {mesh.node(3, 2), Direction::south, 2, 0, true},
           {from, Direction::west, 1, Leg::kNone, true}}};
}

TEST_CASE("a leg ends so many hops on in its direction, through switches at its tile") {
  const Mesh mesh(small_fabric(7, 6));
  const NodeIndex from = mesh.node(3, 2);
  const auto end = [&](Direction direction, std::uint32_t hops) {
    return end_of(mesh, {from, direction, hops, Leg::kNone, false});
  };
  CHECK(end(Direction::east, 3) == mesh.node(6, 2));
  CHECK(end(Direction::west, 2) == mesh.node(1, 2));
  CHECK(end(Direction::north, 3) == mesh.node(3, 5));
  CHECK(end(Direction::south, 2) == mesh.node(3, 0));
  Hardware cluster = small_fabric(4, 3);
  cluster.topology = Topology::switched;
  const Mesh switched(cluster);
  CHECK(end_of(switched, {5, Direction::west, 1, Leg::kNone, true}) == 5);
}

TEST_CASE("hops, latency and rate of a tree are those of its longest way and slowest link") {
  const Mesh uniform(small_fabric(6, 4));
  CHECK(hop_count(tree(uniform)) == 4);
  CHECK(route_latency(uniform, tree(uniform)) == 4'000);
  CHECK(slowest_rate(uniform, tree(uniform)) == close_to(1e-3));
  const Mesh mesh(grouped());
  REQUIRE_FALSE(mesh.is_uniform());
  // East from x = 1 to 2 crosses, 2 to 3 does not; south from y = 2 to 1 crosses, 1 to 0 does not.
  CHECK(route_latency(mesh, tree(mesh)) == 10'000 + 1'000 + 10'000 + 1'000);
  CHECK(slowest_rate(mesh, tree(mesh)) == close_to(0.25e-3));
  const Route inside{mesh.node(2, 2), {{mesh.node(2, 2), Direction::east, 1, Leg::kNone, true}}};
  CHECK(route_latency(mesh, inside) == 1'000);
  CHECK(slowest_rate(mesh, inside) == close_to(1e-3));
  // Nowhere: the tile's own way.
  CHECK(hop_count({0, {}}) == 0);
  CHECK(route_latency(mesh, {0, {}}) == 0);
  CHECK(slowest_rate(mesh, {0, {}}) == close_to(1e-3));
}

TEST_CASE("the links of a route, in order") {
  const Mesh mesh(small_fabric(6, 4));
  std::vector<LinkIndex> links;
  for_each_link(mesh, tree(mesh), [&](LinkIndex link) { links.push_back(link); });
  CHECK(links == std::vector<LinkIndex>{Mesh::link(mesh.node(1, 2), Direction::east),
                                        Mesh::link(mesh.node(2, 2), Direction::east),
                                        Mesh::link(mesh.node(3, 2), Direction::north),
                                        Mesh::link(mesh.node(3, 2), Direction::south),
                                        Mesh::link(mesh.node(3, 1), Direction::south),
                                        Mesh::link(mesh.node(1, 2), Direction::west)});
}

TEST_CASE("bytes at a rate, rounded up; beyond the clock an error") {
  CHECK(transmission_time(10, 3) == 4);
  CHECK(transmission_time(9, 3) == 3);
  CHECK(transmission_time(1, 1e-3) == 1'000);
  CHECK(transmission_time(0, 1) == 0);
  CHECK(transmission_time(100, 0.1) == 1'000);  // 0.1 is no number of a computer's
  CHECK_THROWS_AS(transmission_time(1'000'000'000'000, 1e-12), RequestError);
}

}  // namespace
}  // namespace waferloom::sim
