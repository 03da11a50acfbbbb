#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "model/errors.h"
#include "model/plan.h"
#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route_planner.h"
#include "sim/network/network.h"
#include "sim/network_kind.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_pipeline.h"
#include "sim/tile_groups.h"
#include "tests/support/plan_degrees.h"

namespace waferloom::sim {
namespace {

using test::degrees;

constexpr NetworkKind kKinds[] = {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair};

/// Nodes of `columns` tiles: a byte in 1,000 ps and 300 ps a link inside a node, a byte in 4,000 ps
/// and 700 ps a link between nodes.
Hardware cluster(std::int64_t columns, std::int64_t nodes) {
  Hardware hardware;
  hardware.wafer = {columns, nodes};
  hardware.topology = Topology::switched;
  hardware.group_columns = columns;
  hardware.group_rows = 1;
  hardware.link = {1'000'000'000, 300};
  hardware.group_link = {250'000'000, 700};
  return hardware;
}

struct Sent {
  TilePlace from;
  std::vector<TilePlace> to;
  std::int64_t bytes = 0;
  Picoseconds begin = 0;
};

struct Outcome {
  std::vector<Picoseconds> arrived;
  std::vector<std::int64_t> link_bytes;
};

Outcome send(const Hardware& hardware, NetworkKind kind, const std::vector<Sent>& all) {
  const Mesh mesh(hardware);
  RoutePlanner planner(mesh, Routing::xy);
  const auto network = make_network(kind, mesh, hardware);
  Outcome outcome{std::vector<Picoseconds>(all.size(), -1), {}};
  std::multimap<Picoseconds, std::size_t> due;
  for (std::size_t i = 0; i < all.size(); ++i) due.emplace(all[i].begin, i);
  while (true) {
    const Picoseconds now =
        std::min(due.empty() ? kNever : due.begin()->first, network->next_time());
    if (now == kNever) break;
    std::vector<TransferId> arrived;
    network->advance(now, arrived);
    for (const TransferId id : arrived) outcome.arrived[id] = now;
    for (; !due.empty() && due.begin()->first == now; due.erase(due.begin())) {
      const std::size_t i = due.begin()->second;
      std::vector<NodeIndex> to;
      for (const TilePlace& tile : all[i].to) to.push_back(mesh.node(tile));
      const auto route = planner.plan_tree(mesh.node(all[i].from), to, i, all[i].bytes);
      network->submit(now, {i, *route, all[i].bytes});
    }
  }
  outcome.link_bytes = network->link_bytes();
  return outcome;
}

/// What a message takes that meets no other.
Picoseconds alone(const Sent& message) {
  const bool leaves = std::any_of(message.to.begin(), message.to.end(),
                                  [&](const TilePlace& tile) { return tile.y != message.from.y; });
  return leaves ? 1'400 + 4'000 * message.bytes : 600 + 1'000 * message.bytes;
}

TEST_CASE("a message goes to a switch and from it, inside a node and between two") {
  const Hardware hardware = cluster(4, 3);
  const Mesh mesh(hardware);
  RoutePlanner planner(mesh, Routing::adaptive);
  const NodeIndex from = mesh.node({1, 1});
  const Route inside = *planner.plan(from, mesh.node({3, 1}), 0, 10);
  CHECK(inside.legs == std::vector<Leg>{{from, Direction::east, 1, Leg::kNone, false},
                                        {mesh.node({3, 1}), Direction::west, 1, 0, true}});
  const Route between = *planner.plan(from, mesh.node({1, 2}), 0, 10);
  CHECK(between.legs == std::vector<Leg>{{from, Direction::north, 1, Leg::kNone, false},
                                         {mesh.node({1, 2}), Direction::south, 1, 0, true}});
  CHECK(hop_count(between) == 2);
  CHECK(route_latency(mesh, inside) == 600);
  CHECK(route_latency(mesh, between) == 1'400);
  LinkBytes bytes(mesh);
  bytes.count(between, 7);
  std::vector<std::int64_t> expected(mesh.link_count(), 0);
  expected[4 * 5 + 2] = expected[4 * 9 + 3] = 7;
  CHECK(bytes.totals() == expected);
  CHECK(std::string(mesh.link_name(4 * 5 + 2)) == "to-network");
  CHECK(planner.plan(from, from, 0, 1)->legs.empty());
}

TEST_CASE("a message alone takes two links' latency and its bytes, on every network") {
  const Hardware hardware = cluster(4, 3);
  for (const NetworkKind kind : kKinds) {
    CHECK(send(hardware, kind, {{{0, 0}, {{3, 0}}, 50}}).arrived[0] == 50'600);
    CHECK(send(hardware, kind, {{{0, 0}, {{3, 2}}, 50}}).arrived[0] == 201'400);
    // The slower of the two kinds of links decides; each carries the bytes once.
    const Outcome tree = send(hardware, kind, {{{0, 0}, {{3, 2}, {1, 0}, {2, 0}}, 50}});
    CHECK(tree.arrived[0] == 201'400);
    CHECK(std::count(tree.link_bytes.begin(), tree.link_bytes.end(), 50) == 5);
  }
}

TEST_CASE(
    "switches are never short: pairs do not meet, and tiles use both kinds of links at once") {
  const Hardware hardware = cluster(4, 4);
  std::vector<Sent> all;
  for (std::int64_t y = 0; y < 4; ++y) {
    for (std::int64_t x = 0; x < 4; ++x) {
      all.push_back({{x, y}, {{(x + 1) % 4, y}}, 100});
      all.push_back({{x, y}, {{(x + 2) % 4, (y + 1) % 4}}, 100});
    }
  }
  for (const NetworkKind kind : kKinds) {
    const Outcome outcome = send(hardware, kind, all);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(outcome.arrived[i] == alone(all[i]));
  }
}

TEST_CASE("what comes to one tile shares its link: k times as long, whatever the network") {
  const Hardware hardware = cluster(3, 4);
  for (const bool inside : {true, false}) {
    std::vector<Sent> all;
    for (std::int64_t i = 1; i < 3; ++i) {
      all.push_back({{i, 0}, {inside ? TilePlace{0, 0} : TilePlace{1, 3}}, 100});
    }
    const Picoseconds rest = inside ? 600 : 1'400;
    const Picoseconds bytes = alone(all[0]) - rest;
    CHECK(send(hardware, NetworkKind::analytic, all).arrived ==
          std::vector<Picoseconds>(2, bytes + rest));
    CHECK(send(hardware, NetworkKind::fair, all).arrived ==
          std::vector<Picoseconds>(2, 2 * bytes + rest));
    CHECK(send(hardware, NetworkKind::exclusive, all).arrived ==
          std::vector<Picoseconds>{bytes + rest, 2 * (bytes + rest)});
  }
}

std::vector<Sent> random_messages(std::uint64_t seed, const Hardware& hardware) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  const auto tile = [&] {
    return TilePlace{below(hardware.wafer.width), below(hardware.wafer.height)};
  };
  std::vector<Sent> all;
  for (std::int64_t i = 1 + below(40); i > 0; --i) {
    Sent sent{tile(), {}, 1 + below(90), below(60'000)};
    for (std::int64_t tries = below(5) == 0 ? 4 : 1; tries > 0 || sent.to.empty(); --tries) {
      const TilePlace to = tile();
      const bool again = std::find(sent.to.begin(), sent.to.end(), to) != sent.to.end();
      if (!again && !(to == sent.from)) sent.to.push_back(to);
    }
    all.push_back(sent);
  }
  return all;
}

/// Bytes by link, counted by hand.
std::vector<std::int64_t> expected_bytes(const Hardware& hardware, const std::vector<Sent>& all) {
  const auto tiles = static_cast<std::size_t>(hardware.wafer.width * hardware.wafer.height);
  std::vector<std::int64_t> bytes(4 * tiles, 0);
  const auto at = [&](const TilePlace& tile) {
    return static_cast<std::size_t>(4 * (tile.y * hardware.wafer.width + tile.x));
  };
  for (const Sent& sent : all) {
    bool used[2] = {false, false};
    for (const TilePlace& to : sent.to) {
      const bool leaves = to.y != sent.from.y;
      used[leaves ? 1 : 0] = true;
      bytes[at(to) + (leaves ? 3 : 1)] += sent.bytes;
    }
    if (used[0]) bytes[at(sent.from)] += sent.bytes;
    if (used[1]) bytes[at(sent.from) + 2] += sent.bytes;
  }
  return bytes;
}

TEST_CASE("invariants on random messages through switches") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    CAPTURE(seed);
    const Hardware hardware =
        cluster(2 + static_cast<std::int64_t>(seed % 4), 1 + static_cast<std::int64_t>(seed % 5));
    const std::vector<Sent> all = random_messages(seed, hardware);
    const std::vector<std::int64_t> bytes = expected_bytes(hardware, all);
    for (const NetworkKind kind : kKinds) {
      const Outcome outcome = send(hardware, kind, all);
      REQUIRE(outcome.link_bytes == bytes);
      const Picoseconds last = *std::max_element(outcome.arrived.begin(), outcome.arrived.end());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const Picoseconds took = outcome.arrived[i] - all[i].begin;
        if (kind == NetworkKind::analytic) REQUIRE(took == alone(all[i]));
        REQUIRE(took >= alone(all[i]));
      }
      if (kind == NetworkKind::analytic) continue;
      for (std::size_t link = 0; link < bytes.size(); ++link) {
        REQUIRE(bytes[link] * (link % 4 < 2 ? 1'000 : 4'000) <= last);
      }
    }
  }
}

TEST_CASE("twice the rates and half the latencies halve every time") {
  for (std::uint64_t seed = 500; seed < 540; ++seed) {
    const Hardware hardware = cluster(4, 3);
    Hardware fast = hardware;
    fast.link = {2'000'000'000, 150};
    fast.group_link = {500'000'000, 350};
    const std::vector<Sent> all = random_messages(seed, hardware);
    std::vector<Sent> sooner = all;
    for (Sent& sent : sooner) sent.begin /= 2;
    std::vector<Sent> even = sooner;
    for (Sent& sent : even) sent.begin *= 2;
    for (const NetworkKind kind : kKinds) {
      const Outcome slow = send(hardware, kind, even);
      const Outcome twice = send(fast, kind, sooner);
      for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(std::abs(slow.arrived[i] - 2 * twice.arrived[i]) <=
              4 * static_cast<Picoseconds>(all.size()));
      }
    }
  }
}

TEST_CASE("the packet network and dead tiles") {
  Hardware hardware = cluster(4, 3);
  const Mesh mesh(hardware);
  CHECK_THROWS_WITH_AS(make_network(NetworkKind::packet, mesh, hardware),
                       "the packet network takes meshes, not switched hardware", RequestError);
  hardware.wafer.dead = {{2, 1, 1, 1}};
  const Mesh holed(hardware);
  RoutePlanner planner(holed, Routing::xy);
  CHECK(!planner.plan(holed.node({0, 0}), holed.node({2, 1}), 0, 1));
  CHECK(planner.plan(holed.node({1, 1}), holed.node({3, 1}), 0, 1));
}

TEST_CASE("a ring inside a node and one across nodes take their closed forms") {
  const Hardware hardware = cluster(8, 4);
  const Mesh mesh(hardware);
  const StageGroups groups = stage_groups({0, 0, 8, 4}, {8, 4}, GroupOrder::contiguous, {8, 1});
  REQUIRE(groups.tensor.size() == 4);
  for (const TileGroup& group : groups.tensor) {
    for (const TilePlace& tile : group) CHECK(tile.y == group.front().y);
  }
  REQUIRE(groups.data.size() == 8);
  for (const TileGroup& group : groups.data) {
    for (const TilePlace& tile : group) CHECK(tile.x == group.front().x);
  }
  const auto time = [&](const std::vector<TileGroup>& members) {
    return Collective(mesh, hardware,
                      collective_phases(CollectiveKind::all_reduce, CollectiveAlgorithm::ring,
                                        members, {8, 1}),
                      Contention::simulated)
        .time(8'000);
  };
  CHECK(time(groups.tensor) == 2 * 7 * (1'000 * 1'000 + 600));
  CHECK(time(groups.data) == 2 * 3 * (2'000 * 4'000 + 1'400));
}

TEST_CASE("stages fill whole nodes, or as much of a node as divides them") {
  const Hardware hardware = cluster(8, 6);
  CHECK(lay_out_stages(degrees(8, 2, 3), hardware) ==
        std::vector<Rectangle>{{0, 0, 8, 2}, {0, 2, 8, 2}, {0, 4, 8, 2}});
  CHECK(lay_out_stages(degrees(4, 1, 3), hardware) ==
        std::vector<Rectangle>{{0, 0, 4, 1}, {4, 0, 4, 1}, {0, 1, 4, 1}});
  CHECK(lay_out_stages(degrees(12, 1, 2), hardware) ==
        std::vector<Rectangle>{{0, 0, 6, 2}, {0, 2, 6, 2}});
  CHECK_THROWS_WITH_AS(lay_out_stages(degrees(8, 2, 4), hardware),
                       "4 stages of 16 tiles do not fit on 6 nodes of 8 tiles", RequestError);
  Plan line = degrees(8, 2, 3);
  line.layout = StageLayout::line;
  CHECK_THROWS_WITH_AS(lay_out_stages(line, hardware),
                       "layout: switched hardware has no layout line", RequestError);
}

TEST_CASE("between equal stages every tile has a lane of its own") {
  const std::vector<Lane> lanes = lanes_between_nodes({0, 0, 4, 2}, {0, 2, 4, 2}, 64);
  REQUIRE(lanes.size() == 8);
  CHECK(lanes[0] == Lane{{0, 0}, {0, 2}});
  CHECK(lanes[5] == Lane{{1, 1}, {1, 3}});
  CHECK(lanes_between_nodes({0, 0, 4, 2}, {0, 2, 2, 1}, 64) ==
        std::vector<Lane>{{{2, 0}, {0, 2}}, {{2, 1}, {1, 2}}});
  CHECK(lanes_between_nodes({0, 0, 4, 2}, {0, 2, 4, 2}, 1) == std::vector<Lane>{{{0, 1}, {0, 3}}});
}

}  // namespace
}  // namespace waferloom::sim
