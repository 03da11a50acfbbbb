#include "sim/network/fabric_network.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "model/errors.h"
#include "sim/message_run.h"
#include "tests/sim/network/random_messages.h"

namespace waferloom::sim {
namespace {

using test::message;

MessageSet on_fabric(std::int64_t columns, std::int64_t rows, MessageFabric fabric,
                     std::vector<Message> messages) {
  MessageSet set;
  set.columns = columns;
  set.rows = rows;
  set.fabric = fabric;
  set.messages = std::move(messages);
  return set;
}

MessageTimes run(const MessageSet& set) {
  MessageRunOptions options;
  options.network = NetworkKind::packet;
  return run_messages(set, options);
}

TEST_CASE("a message alone takes its words, its hops and two ramps") {
  for (const MessageFabric fabric :
       {MessageFabric{1, 2}, MessageFabric{2, 2}, MessageFabric{3, 5}}) {
    for (const std::int64_t hops : {0, 1, 5}) {
      for (const std::int64_t words : {1, 2, 100}) {
        const MessageSet set = on_fabric(6, 2, fabric, {message(1, {0, 1}, {hops, 1}, words, 10)});
        CHECK(run(set).makespan == 10 + words + hops * fabric.hop_cycles + 2 * fabric.ramp_cycles);
      }
    }
  }
}

TEST_CASE("two messages share a link word by word, and each other's ramps") {
  // Both go over the link from (1, 0) to (2, 0): 20 words, the first after a ramp and a hop or
  // none.
  const MessageSet meet =
      on_fabric(3, 1, {1, 2}, {message(1, {0, 0}, {2, 0}, 10), message(2, {1, 0}, {2, 0}, 10)});
  CHECK(run(meet).makespan == 2 + 20 + 1 + 2);
  // Out of one tile, in both directions: the ramp is the bound.
  const MessageSet part =
      on_fabric(3, 1, {1, 2}, {message(1, {1, 0}, {0, 0}, 10), message(2, {1, 0}, {2, 0}, 10)});
  CHECK(run(part).makespan == 20 + 1 + 4);
}

TEST_CASE("a stream that passes word by word starves no other") {
  for (std::int64_t begin = 0; begin < 40; ++begin) {
    CAPTURE(begin);
    // The second message's words come one by one, as the first's do; a long third passes both.
    std::vector<Message> messages{message(1, {3, 0}, {2, 0}, 20), message(2, {2, 0}, {1, 0}, 20),
                                  message(3, {4, 0}, {0, 0}, 200, begin)};
    messages[1].adds = {0};
    const MessageTimes times = run(on_fabric(5, 1, {1, 2}, messages));
    CHECK(times.complete_cycle[1] < 20 + 20 + 12 + 8);
  }
}

TEST_CASE("routers copy words to all branches") {
  Message spread = message(1, {0, 0}, {5, 0}, 10);
  for (std::int64_t x = 1; x < 5; ++x) spread.destinations.push_back({x, 0});
  const MessageSet set = on_fabric(6, 1, {2, 2}, {spread});
  const MessageTimes times = run(set);
  CHECK(times.makespan == 10 + 5 * 2 + 4);  // as to the farthest alone
  std::int64_t moved = 0;
  for (const std::int64_t words : times.link_flits) moved += words;
  CHECK(moved == 5 * 10);
}

TEST_CASE("sums stream: a chain takes two ramps, a hop and a cycle for each tile") {
  constexpr std::int64_t kWords = 50;
  for (const std::int64_t hop : {1, 2}) {
    std::vector<Message> chain;
    for (std::int64_t x = 7; x > 0; --x) {
      chain.push_back(message(x, {x, 0}, {x - 1, 0}, kWords));
      if (x < 7) chain.back().adds = {chain.size() - 2};
    }
    CHECK(run(on_fabric(8, 1, {hop, 2}, chain)).makespan == kWords + 7 * (hop + 4) + 6);
    // A tile that takes three cycles more to add delays every stage.
    for (Message& sum : chain) sum.delay_cycles = 4;
    chain.front().delay_cycles = 0;
    CHECK(run(on_fabric(8, 1, {hop, 2}, chain)).makespan == kWords + 7 * (hop + 4) + 6 * 4);
  }
}

TEST_CASE("a sum waits for all it adds, whichever was begun before") {
  std::vector<Message> messages{message(1, {1, 0}, {2, 0}, 10), message(2, {0, 0}, {1, 0}, 10, 100),
                                message(3, {1, 1}, {1, 0}, 10)};
  messages[0].adds = {1, 2};
  const MessageTimes times = run(on_fabric(3, 2, {1, 2}, messages));
  CHECK(times.complete_cycle[1] == 100 + 10 + 5);
  CHECK(times.complete_cycle[2] == 10 + 5);
  CHECK(times.makespan == 100 + 10 + 5 + 1 + 5);
  // After both are complete: nothing streams any more.
  messages[0].after = {1, 2};
  CHECK(run(on_fabric(3, 2, {1, 2}, messages)).makespan == 115 + 1 + 10 + 5);
}

TEST_CASE("a message of no words is time that its tile computes") {
  std::vector<Message> messages{message(1, {0, 0}, {0, 0}, 0), message(2, {0, 0}, {1, 0}, 3)};
  messages[0].delay_cycles = 40;
  messages[1].after = {0};
  messages[1].delay_cycles = 7;
  const MessageTimes times = run(on_fabric(2, 1, {1, 2}, messages));
  CHECK(times.complete_cycle[0] == 40);
  CHECK(times.makespan == 47 + 3 + 5);
}

TEST_CASE("what is added word by word runs on packet alone") {
  std::vector<Message> messages{message(1, {0, 0}, {1, 0}, 3), message(2, {1, 0}, {2, 0}, 3)};
  messages[1].adds = {0};
  MessageRunOptions options;
  options.network = NetworkKind::fair;
  CHECK_THROWS_AS(run_messages(on_fabric(3, 1, {1, 2}, messages), options), RequestError);
}

TEST_CASE("no link or ramp carries more than a word a cycle, and all words arrive") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    MessageSet set = test::random_messages(seed, 40);
    set.fabric = MessageFabric{1 + static_cast<std::int64_t>(seed % 3), 2};
    const MessageTimes times = run(set);
    for (std::size_t i = 0; i < set.messages.size(); ++i) {
      const Message& sent = set.messages[i];
      REQUIRE(times.complete_cycle[i] >= 0);
      const TilePlace& to = sent.destinations.front();
      const std::int64_t hops = std::abs(sent.source.x - to.x) + std::abs(sent.source.y - to.y);
      CHECK(times.complete_cycle[i] >=
            sent.release_cycle + sent.flits + hops * set.fabric->hop_cycles + 4);
    }
    for (const std::int64_t words : times.link_flits) CHECK(times.makespan >= words);
  }
}

}  // namespace
}  // namespace waferloom::sim
