#include "placer/gigaplacer/time/time_search.h"

#include <doctest/doctest.h>

using namespace waferloom;
using namespace waferloom::placer;

TEST_CASE("time search: the answer does not depend on the interval it starts from") {
  constexpr std::int64_t kLargest = 50;
  for (std::int64_t answer = 1; answer <= kLargest; ++answer) {
    for (const TimeInterval start : {TimeInterval{1, 50}, TimeInterval{1, 1}, TimeInterval{20, 30},
                                     TimeInterval{50, 50}, TimeInterval{900, 1000}}) {
      const auto found =
          least_achievable_time([&](std::int64_t time) { return time >= answer; }, start, kLargest);
      REQUIRE(found.has_value());
      CHECK(*found == answer);
    }
  }
}

TEST_CASE("time search: nothing if even the largest time is not enough") {
  int asked = 0;
  const auto never = [&](std::int64_t) {
    ++asked;
    return false;
  };
  CHECK_FALSE(least_achievable_time(never, TimeInterval{3, 10}, 100).has_value());
  CHECK(asked == 5);  // 10, 20, 40, 80, 100
}
