#include "sim/engine/recent_times.h"

#include <doctest/doctest.h>

namespace waferloom::sim {
namespace {

TEST_CASE("the last times are kept, however many came") {
  RecentTimes times;
  for (Picoseconds time = 0; time < 100; ++time) {
    times.push(10 * time);
    CHECK(times.back() == 10 * time);
    if (time >= 31) CHECK(times.back(31) == 10 * (time - 31));
  }
  CHECK(times.count() == 100);
}

}  // namespace
}  // namespace waferloom::sim
