#include "sim/engine/event_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace waferloom::sim {
namespace {

TEST_CASE("events come by time, those of one time as they were pushed") {
  EventQueue<char> queue;
  CHECK(queue.next_time() == kNever);
  queue.push(5, 'a');
  queue.push(3, 'b');
  queue.push(5, 'c');
  queue.push(3, 'd');
  std::string order;
  while (!queue.empty()) order += queue.pop().payload;
  CHECK(order == "bdac");
}

TEST_CASE("a queue under random pushes and pops gives what a stable sort gives") {
  std::mt19937_64 random(7);  // NOLINT: the same sequence everywhere
  EventQueue<int> queue;
  std::vector<std::pair<Picoseconds, int>> model;  // stable: by time, then push
  for (int i = 0; i < 20'000; ++i) {
    if (model.empty() || random() % 5 != 0) {
      const auto time = static_cast<Picoseconds>(random() % 50);
      queue.push(time, i);
      model.insert(std::upper_bound(model.begin(), model.end(), time,
                                    [](Picoseconds a, const auto& b) { return a < b.first; }),
                   {time, i});
    } else {
      REQUIRE(queue.next_time() == model.front().first);
      REQUIRE(queue.pop().payload == model.front().second);
      model.erase(model.begin());
    }
  }
  CHECK(queue.size() == model.size());
}

}  // namespace
}  // namespace waferloom::sim
