#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "model/run_control.h"

namespace waferloom {

TEST_CASE("every task runs once, whatever the number of threads") {
  for (const int threads : {1, 2, 4}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
      INFO(threads, " threads, ", count, " tasks");
      std::vector<std::atomic<int>> runs(count);
      parallel_tasks(count, threads, [&](std::size_t task) { ++runs.at(task); });
      for (const std::atomic<int>& each : runs) CHECK(each == 1);
    }
  }
}

TEST_CASE("one thread runs the tasks in the order of their numbers") {
  std::vector<std::size_t> order;
  parallel_tasks(5, 1, [&](std::size_t task) { order.push_back(task); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

}  // namespace waferloom
