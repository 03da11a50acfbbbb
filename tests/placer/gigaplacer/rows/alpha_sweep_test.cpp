#include "placer/gigaplacer/rows/alpha_sweep.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace waferloom;
using namespace waferloom::placer;

namespace {
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
}

TEST_CASE("alpha sweep: 80 powers of 1.02") {
  const auto times = alpha_sweep(10'000, kNoLimit);
  REQUIRE(times.size() == 80);
  CHECK(times[0] == 10'200);
  CHECK(times[1] == 10'404);
  CHECK(times.back() == 48'754);  // 1.02^80 = 4.87544…
}

TEST_CASE("fine sweep: powers of 1.02 after eighths of the first step") {
  const auto times = fine_sweep(10'000, kNoLimit);
  REQUIRE(times.size() == 87);
  CHECK(times[0] == 10'025);
  CHECK(times[6] == 10'175);
  CHECK(times[7] == 10'200);      // 1.02
  CHECK(times[8] == 10'404);      // 1.02²
  CHECK(times[9] == 10'612);      // 10612.08
  CHECK(times.back() == 48'754);  // 1.02^80 = 4.87544…
}

TEST_CASE("alpha sweep: small times are ascending, without repeats, and end at the largest") {
  const auto times = alpha_sweep(50, 60);
  CHECK(times == std::vector<std::int64_t>{51, 52, 53, 54, 55, 56, 57, 58, 59, 60});
  CHECK(alpha_sweep(7, 7).empty());
}

TEST_CASE("alpha sweep: times near the largest a problem may have do not overflow") {
  const std::int64_t largest = std::int64_t{1} << 61;
  const auto times = alpha_sweep(largest / 2, largest);
  CHECK(times.back() <= largest);
  CHECK(std::is_sorted(times.begin(), times.end()));
  CHECK(times.front() > largest / 2);
}
