#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "sim/mesh/route_planner.h"
#include "sim/message_run.h"
#include "sim/network/packet_network.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/sim/network/random_messages.h"

namespace waferloom::sim {
namespace {

using test::message;

constexpr NetworkKind kAll[] = {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair,
                                NetworkKind::packet};

std::vector<std::int64_t> run(const MessageSet& set, NetworkKind network) {
  MessageRunOptions options;
  options.network = network;
  return run_messages(set, options).complete_cycle;
}

MessageSet on_mesh(std::int64_t columns, std::int64_t rows, std::vector<Message> messages) {
  MessageSet set;
  set.columns = columns;
  set.rows = rows;
  set.messages = std::move(messages);
  return set;
}

/// Hops to the farthest destination.
std::int64_t farthest(const Message& message) {
  std::int64_t hops = 0;
  for (const TilePlace& to : message.destinations) {
    hops = std::max(hops, std::abs(message.source.x - to.x) + std::abs(message.source.y - to.y));
  }
  return hops;
}

TEST_CASE("a message alone takes flits + 4 hops + 6 cycles in every network") {
  for (const NetworkKind network : kAll) {
    for (const std::int64_t hops : {0, 1, 5}) {
      for (const std::int64_t flits : {1, 16, 100}) {
        const MessageSet set = on_mesh(6, 2, {message(1, {0, 1}, {hops, 1}, flits, 10)});
        MessageRunOptions options;
        options.network = network;
        options.injection_queues = 1;
        CHECK(run_messages(set, options).complete_cycle.front() == 10 + flits + 4 * hops + 6);
      }
    }
  }
}

TEST_CASE("a message that waits begins when the one before is complete") {
  for (const NetworkKind network : kAll) {
    MessageSet set =
        on_mesh(3, 1, {message(1, {0, 0}, {1, 0}, 10), message(2, {1, 0}, {2, 0}, 10)});
    set.messages[1].after = {0};
    CHECK(run(set, network) == std::vector<std::int64_t>{20, 40});
  }
}

TEST_CASE("the busiest link or tile binds, or how messages wait, where none is busy") {
  const auto bottleneck = [](const MessageSet& set, NetworkKind network) {
    MessageRunOptions options;
    options.network = network;
    const std::optional<Bottleneck> found = run_messages(set, options).bottleneck;
    REQUIRE(found.has_value());
    return *found;
  };
  // 10 + 6 flits over one link, one message behind another: 20 and 16 cycles.
  MessageSet set = on_mesh(3, 1, {message(1, {0, 0}, {1, 0}, 10), message(2, {0, 0}, {1, 0}, 6)});
  set.messages[1].after = {0};
  for (const NetworkKind network : kAll) {
    const Bottleneck found = bottleneck(set, network);
    CHECK(found.binds ==
          NamedBound{"schedule", "ways of messages, and how they wait for one another", 36e-9});
    if (network == NetworkKind::analytic) {
      CHECK_FALSE(found.next.has_value());
    } else {
      CHECK(found.next == NamedBound{"link", "link east of tile (0, 0)", 16e-9});
    }
  }
  // Three tiles send to one by three links: its way out of the mesh is short.
  set = on_mesh(3, 2,
                {message(1, {0, 0}, {1, 0}, 900), message(2, {2, 0}, {1, 0}, 900),
                 message(3, {1, 1}, {1, 0}, 900)});
  CHECK(bottleneck(set, NetworkKind::fair).binds ==
        NamedBound{"link", "tile (1, 0), in", 2'700e-9});
  // Two leave by one link.
  set = on_mesh(4, 1, {message(1, {0, 0}, {2, 0}, 900), message(2, {1, 0}, {3, 0}, 900)});
  CHECK(bottleneck(set, NetworkKind::fair).binds ==
        NamedBound{"link", "link east of tile (1, 0)", 1'800e-9});
}

TEST_CASE("of k two-hop messages that overlap in a chain exclusive takes k, fair two") {
  for (const std::int64_t k : {2, 5, 9}) {
    std::vector<Message> messages;
    for (std::int64_t i = 0; i < k; ++i) {
      messages.push_back(message(i, {i, 0}, {i + 2, 0}, 1'000));
    }
    const MessageSet set = on_mesh(k + 2, 1, messages);
    const auto last = [&](NetworkKind network) {
      const auto times = run(set, network);
      return *std::max_element(times.begin(), times.end());
    };
    CHECK(last(NetworkKind::exclusive) == k * (1'000 + 2 * 4 + 6));
    CHECK(last(NetworkKind::fair) <= 2 * 1'000 + 2 * 4 + 6 + 16);  // a packet that is late
    CHECK(last(NetworkKind::analytic) == 1'000 + 2 * 4 + 6);
  }
}

TEST_CASE("on one way to an end the next tile gets a half, the one behind a quarter, …") {
  // Tiles 0 … 3 of a row send to tile 4; while all do, tile 3 has 1/2, tile 2 1/4, the others 1/8.
  const MessageSet set =
      on_mesh(5, 1,
              {message(0, {0, 0}, {4, 0}, 800), message(1, {1, 0}, {4, 0}, 800),
               message(2, {2, 0}, {4, 0}, 800), message(3, {3, 0}, {4, 0}, 800)});
  // As rates 3,200 + 22, 3,200 + 18, 2,400 + 14 and 1,600 + 10. Packets come one after the other,
  // so a message that is done while others go on may be earlier or later by a packet for each.
  const std::vector<std::int64_t> times = run(set, NetworkKind::fair);
  CHECK(std::abs(times[0] - 3'222) <= 3 * 16);
  CHECK(std::abs(times[1] - 3'218) <= 3 * 16);
  CHECK(std::abs(times[2] - 2'414) <= 3 * 16);
  CHECK(std::abs(times[3] - 1'610) <= 3 * 16);
  CHECK(std::max(times[0], times[1]) >= 3'200 + 4 + 6);  // the last link's flits
}

TEST_CASE("messages of one way share it, and the shorter are done first") {
  const MessageSet set = on_mesh(3, 1,
                                 {message(0, {0, 0}, {2, 0}, 300), message(1, {0, 0}, {2, 0}, 100),
                                  message(2, {0, 0}, {2, 0}, 200, 50)});
  // To 50: 25 each. Then a third each: message 1 ends after 225 more. Then halves.
  const auto times = run(set, NetworkKind::fair);
  CHECK(std::abs(times[1] - (275 + 14)) <= 16);
  CHECK(std::abs(times[2] - (275 + 250 + 14)) <= 16);
  CHECK(times[0] == 600 + 14);
}

TEST_CASE("to several tiles each link carries the flits once") {
  for (const NetworkKind network : kAll) {
    MessageSet set = on_mesh(4, 3, {message(0, {0, 0}, {3, 0}, 32)});
    set.messages.front().destinations = {{3, 0}, {3, 2}, {1, 0}};
    MessageRunOptions options;
    options.network = network;
    const MessageTimes times = run_messages(set, options);
    CHECK(std::accumulate(times.link_flits.begin(), times.link_flits.end(), std::int64_t{0}) ==
          5 * 32);
    CHECK(times.makespan >= 32 + 5 * 4 + 6);
    CHECK(times.makespan <= 32 + 5 * 4 + 6 + 80);
  }
}

TEST_CASE("invariants of all networks on random messages") {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    CAPTURE(seed);
    const MessageSet set = test::random_messages(seed, 24);
    MessageSet shuffled = set;
    std::vector<std::size_t> order(set.messages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937_64 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < order.size(); ++i) shuffled.messages[order[i]] = set.messages[i];
    for (Message& message : shuffled.messages) {
      for (std::size_t& before : message.after) before = order[before];
    }
    for (const NetworkKind network : kAll) {
      CAPTURE(static_cast<int>(network));
      MessageRunOptions options;
      options.network = network;
      const MessageTimes times = run_messages(set, options);
      const MessageTimes again = run_messages(shuffled, options);
      std::int64_t last = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const Message& message = set.messages[i];
        REQUIRE(times.complete_cycle[i] == again.complete_cycle[order[i]]);
        const std::int64_t alone = message.flits + 4 * farthest(message) + 6;
        REQUIRE(times.complete_cycle[i] >= message.release_cycle + alone);
        for (const std::size_t before : message.after) {
          REQUIRE(times.complete_cycle[i] >= times.complete_cycle[before] + alone);
        }
        last = std::max(last, times.complete_cycle[i]);
      }
      REQUIRE(times.makespan == last);
      REQUIRE(times.link_flits == again.link_flits);
      if (network == NetworkKind::analytic) continue;
      for (const std::int64_t flits : times.link_flits) REQUIRE(flits <= times.makespan);
    }
  }
}

TEST_CASE("bytes out of the tiles are bytes into the tiles on every network alike") {
  for (std::uint64_t seed = 2'000; seed < 2'100; ++seed) {
    MessageSet set = test::random_messages(seed, 24);
    set.routing = Routing::xy;  // the same routes, whatever the order of events
    const Mesh mesh(small_fabric(set.columns, set.rows));
    std::vector<std::int64_t> first;
    for (const NetworkKind network : kAll) {
      MessageRunOptions options;
      options.network = network;
      const std::vector<std::int64_t> flits = run_messages(set, options).link_flits;
      if (first.empty()) first = flits;
      CHECK(flits == first);
    }
    std::int64_t hops = 0;  // of unicast messages alone the sum is known from the distances
    bool unicast = true;
    for (const Message& message : set.messages) {
      unicast = unicast && message.destinations.size() == 1;
      hops += message.flits * (std::abs(message.source.x - message.destinations[0].x) +
                               std::abs(message.source.y - message.destinations[0].y));
    }
    if (unicast) CHECK(std::accumulate(first.begin(), first.end(), std::int64_t{0}) == hops);
  }
}

TEST_CASE("more injection queues never change what a single message a tile needs at least") {
  const MessageSet set =
      on_mesh(4, 4, {message(0, {0, 0}, {3, 3}, 256), message(1, {3, 0}, {0, 3}, 256)});
  for (const std::int64_t queues : {1, 4}) {
    MessageRunOptions options;
    options.network = NetworkKind::packet;
    options.injection_queues = queues;
    for (const std::int64_t time : run_messages(set, options).complete_cycle) {
      CHECK(time >= 256 + 24 + 6);
      CHECK(time <= 256 + 24 + 6 + 3);
    }
  }
}

TEST_CASE("routes that turn both ways keep to channels of their own, and never wait in a circle") {
  // Everybody to everybody.
  std::vector<Message> messages;
  for (std::int64_t i = 0; i < 1'296; ++i) {
    messages.push_back(message(i, {i / 36 % 6, i / 36 / 6}, {i % 6, i % 36 / 6}, 256));
  }
  MessageSet set = on_mesh(6, 6, messages);
  MessageRunOptions options;
  options.network = NetworkKind::packet;
  for (const Routing routing : {Routing::xy, Routing::yx, Routing::o1turn, Routing::adaptive}) {
    set.routing = routing;
    const MessageTimes times = run_messages(set, options);
    for (std::size_t i = 0; i < set.messages.size(); ++i) {
      const Message& sent = set.messages[i];
      CHECK(times.complete_cycle[i] >= sent.flits + 4 * farthest(sent) + 6);
    }
  }
}

TEST_CASE("packets that wait for one another in a circle are told, not waited for") {
  // From each of four corners around a square, to the one after the next, all in one sense.
  const Hardware hardware = small_fabric(2, 2);
  const Mesh mesh(hardware);
  RouterSpec spec;
  spec.virtual_channels = 1;
  spec.buffer_flits = 2;
  PacketNetwork network(mesh, spec, TurnClasses::apart);
  RoutePlanner x_first(mesh, Routing::xy);
  RoutePlanner y_first(mesh, Routing::yx);
  const NodeIndex around[] = {mesh.node({0, 0}), mesh.node({1, 0}), mesh.node({1, 1}),
                              mesh.node({0, 1})};
  for (std::size_t i = 0; i < 4; ++i) {
    RoutePlanner& planner = i % 2 == 0 ? x_first : y_first;
    network.submit(0, {i, *planner.plan(around[i], around[(i + 2) % 4], i, 1), 64});
  }
  std::vector<TransferId> arrived;
  const auto run = [&] {
    while (network.next_time() != kNever) network.advance(network.next_time(), arrived);
  };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("in a circle"), RequestError);
}

TEST_CASE("a set of few steps is stopped between any two of them") {
  const MessageSet set = on_mesh(2, 1, {message(0, {0, 0}, {1, 0}, 5)});
  MessageRunOptions options;
  int asked = 0;
  options.control.asked = [&] { return ++asked == 2; };
  // Begun at the first step, complete at a later one.
  const MessageTimes times = run_messages(set, options);
  CHECK(times.stopped);
  CHECK(asked == 2);
  CHECK(times.complete_cycle.front() == -1);
}

TEST_CASE("progress tells how many messages have begun and are complete") {
  MessageSet set = on_mesh(2, 1, {message(0, {0, 0}, {1, 0}, 5), message(1, {1, 0}, {0, 0}, 5)});
  set.messages[1].after = {0};
  MessageRunOptions options;
  std::vector<std::pair<std::size_t, std::size_t>> told;
  options.on_progress = [&](const MessageProgress& run) {
    told.emplace_back(run.begun, run.complete);
  };
  run_messages(set, options);
  CHECK(told == std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {1, 1}, {2, 1}, {2, 2}});
}

TEST_CASE("a set whose run is stopped says so") {
  const MessageSet set = on_mesh(2, 1, {message(0, {0, 0}, {1, 0}, 5)});
  MessageRunOptions options;
  options.control.asked = [] { return true; };
  const MessageTimes times = run_messages(set, options);
  CHECK(times.stopped);
  CHECK(times.complete_cycle.front() == -1);
}

TEST_CASE("packets of the set's size take turns on a link") {
  // Two messages of 64 flits over one link: how they interleave depends on the size of packets,
  // that the link carries 128 flits does not.
  MessageSet set = on_mesh(3, 1, {message(0, {0, 0}, {2, 0}, 64), message(1, {1, 0}, {2, 0}, 64)});
  const auto done = [&](std::int64_t flits) {
    set.packet_flits = flits;
    return run(set, NetworkKind::packet);
  };
  CHECK(done(8) != done(16));
  for (const std::int64_t flits : {1, 8, 16, 64}) {
    const std::vector<std::int64_t> cycles = done(flits);
    CHECK(*std::min_element(cycles.begin(), cycles.end()) >= 64 + 4 + 6);
    CHECK(*std::max_element(cycles.begin(), cycles.end()) >= 128 + 4 + 6);
  }
}

}  // namespace
}  // namespace waferloom::sim
