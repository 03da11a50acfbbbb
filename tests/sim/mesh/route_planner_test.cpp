#include "sim/mesh/route_planner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <queue>
#include <random>
#include <set>

#include "sim/mesh/link_bytes.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

std::vector<LinkIndex> links(const Mesh& mesh, const Route& route) {
  std::vector<LinkIndex> result;
  for_each_link(mesh, route, [&](LinkIndex link) { result.push_back(link); });
  return result;
}

/// Fewest hops over links that are not dead, by breadth-first search; −1 if there is no way.
int fewest_hops(const Mesh& mesh, NodeIndex from, NodeIndex to) {
  std::vector<int> hops(mesh.node_count(), -1);
  std::queue<NodeIndex> open;
  hops[from] = 0;
  open.push(from);
  while (!open.empty()) {
    const NodeIndex node = open.front();
    open.pop();
    for (const Direction direction : kDirections) {
      if (mesh.is_dead_link(Mesh::link(node, direction))) continue;
      const NodeIndex next = mesh.neighbour(node, direction);
      if (hops[next] >= 0) continue;
      hops[next] = hops[node] + 1;
      open.push(next);
    }
  }
  return hops[to];
}

TEST_CASE("xy goes along the row first, yx along the column") {
  const Mesh mesh(small_fabric(5, 4));
  RoutePlanner xy(mesh, Routing::xy);
  RoutePlanner yx(mesh, Routing::yx);
  const NodeIndex from = mesh.node(1, 3);
  const NodeIndex to = mesh.node(4, 1);
  CHECK(*xy.plan(from, to, 0, 1) == Route{from,
                                          {{from, Direction::east, 3, Leg::kNone, false},
                                           {mesh.node(4, 3), Direction::south, 2, 0, true}}});
  CHECK(*yx.plan(from, to, 0, 1) == Route{from,
                                          {{from, Direction::south, 2, Leg::kNone, false},
                                           {mesh.node(1, 1), Direction::east, 3, 0, true}}});
  CHECK(xy.plan(from, from, 0, 1)->legs.empty());
}

TEST_CASE("o1turn uses both orders, the same for the same transfer") {
  const Mesh mesh(small_fabric(4, 4));
  RoutePlanner planner(mesh, Routing::o1turn);
  std::set<Direction> first;
  for (std::uint64_t id = 0; id < 64; ++id) {
    const Route route = *planner.plan(0, 15, id, 1);
    CHECK(route == *planner.plan(0, 15, id, 1));
    first.insert(route.legs.front().direction);
  }
  CHECK(first == std::set<Direction>{Direction::east, Direction::north});
}

TEST_CASE("adaptive avoids the busier way until that is free again") {
  const Mesh mesh(small_fabric(4, 4));
  RoutePlanner planner(mesh, Routing::adaptive);
  const Route first = *planner.plan(0, 15, 0, 100);
  CHECK(first.legs.front().direction == Direction::east);
  const Route second = *planner.plan(0, 15, 1, 50);
  CHECK(second.legs.front().direction == Direction::north);
  CHECK(planner.plan(0, 15, 2, 50)->legs.front().direction == Direction::north);
  planner.release(first, 100);
  CHECK(planner.plan(0, 15, 3, 50)->legs.front().direction == Direction::east);
}

TEST_CASE("ways around dead tiles and links are shortest ways") {
  std::mt19937_64 random(11);  // NOLINT: the same sequence everywhere
  int around = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Hardware hardware = small_fabric(7, 6);
    hardware.wafer.dead = {
        {static_cast<std::int64_t>(random() % 6), static_cast<std::int64_t>(random() % 5), 2, 1},
        {static_cast<std::int64_t>(random() % 7), static_cast<std::int64_t>(random() % 4), 1, 3}};
    hardware.wafer.dead.back().height = std::min<std::int64_t>(3, 6 - hardware.wafer.dead.back().y);
    hardware.wafer.dead.front().width =
        std::min<std::int64_t>(2, 7 - hardware.wafer.dead.front().x);
    hardware.dead_links = {{static_cast<std::int64_t>(random() % 7),
                            static_cast<std::int64_t>(random() % 6), kDirections[random() % 4]}};
    const Mesh mesh(hardware);
    const auto from = static_cast<NodeIndex>(random() % mesh.node_count());
    const auto to = static_cast<NodeIndex>(random() % mesh.node_count());
    if (mesh.is_dead(from) || mesh.is_dead(to) || from == to) continue;
    RoutePlanner planner(mesh, Routing::xy);
    const auto route = planner.plan(from, to, 0, 1);
    const int hops = fewest_hops(mesh, from, to);
    REQUIRE(route.has_value() == (hops >= 0));
    if (!route) continue;
    NodeIndex at = from;
    for (const LinkIndex link : links(mesh, *route)) {
      REQUIRE(!mesh.is_dead_link(link));
      REQUIRE(Mesh::source(link) == at);
      at = mesh.neighbour(at, Mesh::direction(link));
    }
    CHECK(at == to);
    CHECK(route->legs.back().delivers);
    CHECK(static_cast<int>(hop_count(*route)) == hops);
    around += route->legs.size() > 2 ? 1 : 0;
  }
  CHECK(around > 20);
}

TEST_CASE("routes stay inside a rectangle unless something in it is dead, or they go around") {
  Hardware hardware = small_fabric(6, 5);
  CHECK(routes_stay_inside(Mesh(hardware), {0, 0, 6, 5}));
  hardware.wafer.dead = {{4, 1, 1, 1}};
  hardware.dead_links = {{1, 3, Direction::east}};  // from (1, 3) to (2, 3)
  const Mesh mesh(hardware);
  CHECK_FALSE(routes_stay_inside(mesh, {0, 0, 6, 5}));
  CHECK_FALSE(routes_stay_inside(mesh, {4, 1, 1, 1}));
  CHECK_FALSE(routes_stay_inside(mesh, {1, 3, 2, 1}));
  CHECK(routes_stay_inside(mesh, {0, 2, 2, 3}));  // the link leads out of it
  CHECK(routes_stay_inside(mesh, {2, 2, 4, 3}));
  CHECK(routes_stay_inside(mesh, {0, 0, 4, 3}));
  hardware.dead_links = {{2, 3, Direction::west}};  // the other way alone
  CHECK_FALSE(routes_stay_inside(Mesh(hardware), {1, 3, 2, 1}));
  hardware = small_fabric(6, 5);
  hardware.topology = Topology::torus;
  CHECK_FALSE(routes_stay_inside(Mesh(hardware), {0, 0, 2, 2}));
}

TEST_CASE("a tree reaches all its tiles and uses no link twice") {
  const Mesh mesh(small_fabric(8, 8));
  std::mt19937_64 random(5);  // NOLINT: the same sequence everywhere
  for (int trial = 0; trial < 200; ++trial) {
    const auto from = static_cast<NodeIndex>(random() % 64);
    std::set<NodeIndex> to;
    for (int i = 0; i < 6; ++i) to.insert(static_cast<NodeIndex>(random() % 64));
    to.erase(from);
    RoutePlanner planner(mesh, trial % 2 == 0 ? Routing::xy : Routing::o1turn);
    const Route tree =
        *planner.plan_tree(from, {to.begin(), to.end()}, static_cast<std::uint64_t>(trial), 1);
    std::vector<LinkIndex> used = links(mesh, tree);
    std::sort(used.begin(), used.end());
    CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
    std::set<NodeIndex> reached;
    for (std::size_t i = 0; i < tree.legs.size(); ++i) {
      const Leg& leg = tree.legs[i];
      if (leg.delivers) reached.insert(end_of(mesh, leg));
      REQUIRE((leg.parent == Leg::kNone || leg.parent < i));
      CHECK(leg.from == (leg.parent == Leg::kNone ? from : end_of(mesh, tree.legs[leg.parent])));
    }
    CHECK(reached == to);
  }
}

TEST_CASE("bytes counted by leg are those counted link by link") {
  const Mesh mesh(small_fabric(9, 7));
  std::mt19937_64 random(2);  // NOLINT: the same sequence everywhere
  LinkBytes bytes(mesh);
  std::vector<std::int64_t> expected(mesh.link_count(), 0);
  RoutePlanner planner(mesh, Routing::o1turn);
  for (std::uint64_t id = 0; id < 500; ++id) {
    const Route route = *planner.plan(static_cast<NodeIndex>(random() % 63),
                                      static_cast<NodeIndex>(random() % 63), id, 1);
    const auto amount = static_cast<std::int64_t>(1 + random() % 100);
    bytes.count(route, amount);
    for (const LinkIndex link : links(mesh, route)) expected[link] += amount;
  }
  CHECK(bytes.totals() == expected);
}

TEST_CASE("o1turn turns first where the last bit of SplitMix64's output says") {
  // The generator as its authors have it, of which an identity is the state.
  const auto split_mix = [](std::uint64_t state) {
    std::uint64_t z = state + 0x9e3779b97f4a7c15;
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9;
    z ^= z >> 27;
    z *= 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  CHECK(split_mix(0) == 0xe220a8397b1dcdaf);  // its published first output of seed 0
  const Mesh mesh(small_fabric(4, 4));
  RoutePlanner planner(mesh, Routing::o1turn);
  for (std::uint64_t id = 0; id < 64; ++id) {
    const Route route = *planner.plan(mesh.node(0, 0), mesh.node(2, 3), id, 1);
    const bool x_first = split_mix(id) % 2 == 0;
    CHECK(route.legs.front().direction == (x_first ? Direction::east : Direction::north));
  }
}

}  // namespace
}  // namespace waferloom::sim
