#include "sim/network/cut_through_network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/mesh/route_planner.h"
#include "sim/message_run.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/sim/network/random_messages.h"

namespace waferloom::sim {
namespace {

using test::message;

MessageTimes on_bursts(const MessageSet& set, std::int64_t queues = 4) {
  MessageRunOptions options;
  options.network = NetworkKind::fair;
  options.injection_queues = queues;
  return run_messages(set, options);
}

MessageSet on_row(std::int64_t columns, std::vector<Message> messages, std::int64_t rows = 1) {
  MessageSet set;
  set.columns = columns;
  set.rows = rows;
  set.messages = std::move(messages);
  return set;
}

/// Transfers on a fabric of one byte a nanosecond, a nanosecond a hop, packets of 16 bytes.
class OnFabric {
 public:
  explicit OnFabric(Hardware fabric, std::int64_t channels = 4) : hardware_(std::move(fabric)) {
    hardware_.router = {1, 16, channels, 8, 4};
  }
  void send(TilePlace from, TilePlace to, std::int64_t bytes) {
    RoutePlanner planner(mesh_, Routing::xy);
    const TransferId id = sent_++;
    network_.submit(0,
                    {id, planner.plan(mesh_.node(from), mesh_.node(to), id, bytes).value(), bytes});
  }
  /// When each has arrived, in nanoseconds.
  std::map<TransferId, Picoseconds> arrivals() {
    std::map<TransferId, Picoseconds> times;
    std::vector<TransferId> arrived;
    while (network_.next_time() != kNever) {
      const Picoseconds now = network_.next_time();
      arrived.clear();
      network_.advance(now, arrived);
      for (const TransferId id : arrived) times[id] = now / 1'000;
    }
    return times;
  }

 private:
  Hardware hardware_;
  Mesh mesh_{hardware_};
  CutThroughNetwork network_{mesh_, 0, hardware_.router};
  TransferId sent_ = 0;
};

TEST_CASE("two messages that meet take turns packet by packet") {
  // Both send 64 flits over the link from (1, 0). Tile 1's packets go first at cycle 3, tile 0's
  // come a hop later and are second, fourth, …: the last of eight ends at 3 + 8 · 16.
  const MessageTimes times =
      on_bursts(on_row(3, {message(0, {0, 0}, {2, 0}, 64), message(1, {1, 0}, {2, 0}, 64)}));
  CHECK(times.complete_cycle[1] == 3 + 7 * 16 + 4 + 3);
  CHECK(times.complete_cycle[0] == 3 + 8 * 16 + 4 + 3);
}

TEST_CASE("a short message goes alongside a long one's burst, and costs it nothing but its flits") {
  // 16,384 flits go in 64 bursts of 256. A message of 16 flits that begins with the second of them
  // would be through after 32 cycles if both took turns.
  const MessageTimes times = on_bursts(
      on_row(2, {message(0, {0, 0}, {1, 0}, 16'384), message(1, {0, 0}, {1, 0}, 16, 300)}));
  CHECK(times.complete_cycle[1] == 300 + 2 * 16 + 4 + 6);
  CHECK(times.complete_cycle[0] == 16'384 + 16 + 4 + 6);
}

TEST_CASE("a short message of the same tile waits its turn behind what is as short") {
  const MessageTimes times =
      on_bursts(on_row(2, {message(0, {0, 0}, {1, 0}, 16), message(1, {0, 0}, {1, 0}, 16)}));
  CHECK(times.complete_cycle[0] == 16 + 4 + 6);
  CHECK(times.complete_cycle[1] == 2 * 16 + 4 + 6);
}

TEST_CASE("a short message waits for packets of long ones, not for their bursts") {
  // Two messages of 16,384 flits to (4, 0) fill queues and places with bursts of 256 flits. One of
  // 16 from behind takes 38 cycles alone; behind the four bursts that wait at (1, 0), each of which
  // has its turn after one of the other message, it would take more than 1,500. Packets take turns.
  const MessageSet set =
      on_row(5, {message(0, {0, 0}, {4, 0}, 16'384), message(1, {1, 0}, {4, 0}, 16'384),
                 message(2, {0, 0}, {4, 0}, 16, 9'000)});
  MessageRunOptions options;
  options.network = NetworkKind::packet;
  const std::int64_t judge = run_messages(set, options).complete_cycle[2] - 9'000;
  const MessageTimes times = on_bursts(set);
  CHECK(times.complete_cycle[2] - 9'000 > 38);
  CHECK(times.complete_cycle[2] - 9'000 < judge + 100);
  // The long ones still share the link evenly.
  CHECK(std::abs(times.complete_cycle[0] - times.complete_cycle[1]) <= 2 * 256);
}

TEST_CASE("long bursts are not starved by short ones that keep coming") {
  // A message of 16,384 flits and 400 of 16 of another tile behind it share a way in turn: what
  // comes by one port is done in the order in which it would be, flit by flit.
  std::vector<Message> messages{message(0, {0, 0}, {3, 0}, 16'384)};
  for (std::int64_t i = 1; i <= 400; ++i)
    messages.push_back(message(i, {0, 0}, {3, 0}, 16, 20 * i));
  for (std::int64_t i = 0; i < 2; ++i) messages.push_back(message(500 + i, {1, i}, {3, 0}, 8'192));
  const MessageTimes times = on_bursts(on_row(4, messages, 2));
  const std::int64_t all = 16'384 + 400 * 16 + 2 * 8'192;
  CHECK(times.makespan >= all);
  CHECK(times.makespan <= all * 21 / 20);
}

TEST_CASE("what waits stands in the way of what could go on") {
  // Tiles 0 to 4 of a row send to (5, 0): of tile 0 a sixteenth comes through while all do. Its
  // message up to (0, 1) takes turns with that one. Once queues and places are full, at most a
  // packet goes for each that leaves: of its 40 some 28 wait for 256 cycles each. As rates of flows
  // it would take twice its flits, or 1,290.
  std::vector<Message> messages{message(9, {0, 0}, {0, 1}, 640)};
  for (std::int64_t x = 0; x < 5; ++x) {
    messages.push_back(message(x, {x, 0}, {5, 0}, x == 0 ? 1'024 : 3'200));
  }
  const std::int64_t held_up = on_bursts(on_row(6, messages, 2)).complete_cycle.front();
  CHECK(held_up > 20 * 256);
  MessageRunOptions options;
  options.network = NetworkKind::packet;
  const std::int64_t judge = run_messages(on_row(6, messages, 2), options).complete_cycle.front();
  CHECK(std::abs(held_up - judge) < judge / 5);
}

TEST_CASE("however long a message, it takes as many events") {
  const auto events = [](std::int64_t flits) {
    return on_bursts(on_row(8, {message(0, {0, 0}, {7, 0}, flits)})).events;
  };
  CHECK(events(1'024) == events(1'024'000));
  CHECK(events(16) < events(1'024));
}

TEST_CASE("a message to several tiles is copied where its ways part") {
  // East to (2, 0) and from there both ways: (2, 0) itself, (4, 0) and (2, 2).
  MessageSet set = on_row(5, {message(0, {0, 0}, {4, 0}, 64)}, 3);
  set.messages.front().destinations = {{4, 0}, {2, 0}, {2, 2}};
  const MessageTimes times = on_bursts(set);
  CHECK(times.complete_cycle.front() == 64 + 4 * 4 + 6);
}

std::int64_t makespan(MessageSet set, Routing routing, NetworkKind network) {
  set.routing = routing;
  MessageRunOptions options;
  options.network = network;
  return run_messages(set, options).makespan;
}

TEST_CASE("routes that turn either way stand in no circle: an all-to-all is as on packets") {
  std::vector<Message> messages;
  for (std::int64_t from = 0; from < 25; ++from) {
    for (std::int64_t to = 0; to < 25; ++to) {
      if (from == to) continue;
      messages.push_back(message(static_cast<std::int64_t>(messages.size()), {from % 5, from / 5},
                                 {to % 5, to / 5}, 64));
    }
  }
  const MessageSet set = on_row(5, messages, 5);
  for (const Routing routing : {Routing::xy, Routing::o1turn, Routing::adaptive}) {
    const std::int64_t judge = makespan(set, routing, NetworkKind::packet);
    CAPTURE(static_cast<int>(routing));
    CHECK(std::abs(makespan(set, routing, NetworkKind::fair) - judge) < judge * 15 / 100);
  }
}

TEST_CASE("trees under load stand in no lasting circle") {
  // Every tile of 4 x 4 sends 64 flits to its row's and its column's ends. The busiest way into a
  // tile takes what comes to it; packets that copy one behind the other take longer still.
  std::vector<Message> messages;
  std::vector<std::int64_t> received(16, 0);
  for (std::int64_t x = 0; x < 4; ++x) {
    for (std::int64_t y = 0; y < 4; ++y) {
      Message tree = message(4 * x + y, {x, y}, {3 - x, y}, 64);
      tree.destinations = {{3 - x, y}, {x, 3 - y}, {3 - x, 3 - y}};
      for (const TilePlace& to : tree.destinations) {
        received[static_cast<std::size_t>(4 * to.y + to.x)] += 64;
      }
      messages.push_back(tree);
    }
  }
  const std::int64_t most = *std::max_element(received.begin(), received.end());
  for (const Routing routing : {Routing::xy, Routing::o1turn}) {
    const std::int64_t found = makespan(on_row(4, messages, 4), routing, NetworkKind::fair);
    CHECK(found >= most);
    CHECK(found <= 4 * most);
  }
}

TEST_CASE("long ways around a torus pass the dateline") {
  Hardware torus = small_fabric(16, 1);
  torus.topology = Topology::torus;
  OnFabric fabric(torus);
  for (std::int64_t tile = 0; tile < 16; ++tile) {
    for (int i = 0; i < 8; ++i) fabric.send({tile, 0}, {(tile + 7) % 16, 0}, 160);
  }
  std::int64_t last = 0;
  for (const auto& [id, time] : fabric.arrivals()) last = std::max(last, time);
  // Every link carries 7 · 8 messages.
  CHECK(last >= 56 * 160);
  CHECK(last <= 56 * 160 * 3 / 2);
}

TEST_CASE("bursts come around a torus whatever waits there") {
  Hardware torus = small_fabric(6, 1);
  torus.topology = Topology::torus;
  for (const std::int64_t channels : {1, 4}) {
    OnFabric fabric(torus, channels);
    for (std::int64_t tile = 0; tile < 6; ++tile) {
      for (int i = 0; i < 8; ++i) fabric.send({tile, 0}, {(tile + 2) % 6, 0}, 160);
    }
    const auto times = fabric.arrivals();
    CAPTURE(channels);
    REQUIRE(times.size() == 48);
    // Every link carries 16 messages of 160 bytes.
    const auto last =
        std::max_element(times.begin(), times.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    CHECK(last->second >= 16 * 160);
    CHECK(last->second <= 2 * 16 * 160);
  }
}

TEST_CASE("a slow link behind a fast one is what a message takes") {
  Hardware fabric = small_fabric(4, 1);
  fabric.group_columns = 2;
  fabric.group_link = {250'000'000, 1'000};  // a byte in 4 ns
  OnFabric on(fabric);
  on.send({0, 0}, {3, 0}, 160);
  CHECK(on.arrivals().at(0) == 4 * 160 + 3);
}

TEST_CASE("the choice of a network: packet for few flits and for words that are added") {
  const auto chosen = [](const MessageSet& set) { return run_messages(set, {}); };
  const MessageTimes few = chosen(on_row(3, {message(0, {0, 0}, {2, 0}, 100)}));
  CHECK(few.network == NetworkKind::packet);
  CHECK(few.network_reason == "so few flits cost nothing cycle by cycle");
  const MessageTimes many = chosen(on_row(3, {message(0, {0, 0}, {2, 0}, 100'000)}));
  CHECK(many.network == NetworkKind::fair);
  CHECK(many.network_reason == "so many flits cost less packet by packet");
  CHECK(many.complete_cycle.front() == 100'000 + 2 * 4 + 6);
  MessageSet sums =
      on_row(2, {message(0, {0, 0}, {1, 0}, 40'000), message(1, {1, 0}, {0, 0}, 40'000)});
  sums.fabric = MessageFabric{};
  sums.messages[1].after = {0};
  sums.messages[1].adds = {0};
  CHECK(chosen(sums).network == NetworkKind::packet);
  MessageRunOptions asked;
  asked.network = NetworkKind::fair;
  CHECK_FALSE(
      run_messages(on_row(3, {message(0, {0, 0}, {2, 0}, 100)}), asked).network_reason.has_value());
}

}  // namespace
}  // namespace waferloom::sim
