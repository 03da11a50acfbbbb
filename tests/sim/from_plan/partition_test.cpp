#include "sim/from_plan/partition.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "model/errors.h"

namespace waferloom::sim {
namespace {

using Works = std::vector<std::int64_t>;

/// The largest sum of a cut.
std::int64_t largest(const Works& works, const std::vector<std::size_t>& begins) {
  std::int64_t most = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : works.size();
    REQUIRE(begins[i] < end);
    most = std::max(
        most, std::accumulate(works.begin() + static_cast<std::ptrdiff_t>(begins[i]),
                              works.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0}));
  }
  return most;
}

/// By trying all cuts.
std::int64_t least(const Works& works, std::size_t parts) {
  if (parts == 1) return std::accumulate(works.begin(), works.end(), std::int64_t{0});
  std::int64_t best = -1;
  for (std::size_t first = 1; first + parts - 1 <= works.size(); ++first) {
    const std::int64_t front = std::accumulate(
        works.begin(), works.begin() + static_cast<std::ptrdiff_t>(first), std::int64_t{0});
    const std::int64_t rest =
        least(Works(works.begin() + static_cast<std::ptrdiff_t>(first), works.end()), parts - 1);
    const std::int64_t most = std::max(front, rest);
    if (best < 0 || most < best) best = most;
  }
  return best;
}

TEST_CASE("equal works in equal parts, others with the smallest largest sum") {
  CHECK(even_parts({5, 5, 5, 5, 5, 5}, 3) == std::vector<std::size_t>{0, 2, 4});
  CHECK(even_parts({9, 1, 1, 1, 1}, 2) == std::vector<std::size_t>{0, 1});
  CHECK(even_parts({0, 0, 0}, 3) == std::vector<std::size_t>{0, 1, 2});
  CHECK_THROWS_AS(even_parts({1, 2}, 3), RequestError);
}

TEST_CASE("no cut of random works is better") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    std::mt19937_64 random(seed);
    Works works(1 + random() % 9);
    for (std::int64_t& work : works) work = static_cast<std::int64_t>(random() % 20);
    const std::size_t parts = 1 + random() % works.size();
    const std::vector<std::size_t> begins = even_parts(works, parts);
    REQUIRE(begins.size() == parts);
    REQUIRE(begins.front() == 0);
    CHECK(largest(works, begins) == least(works, parts));
  }
}

}  // namespace
}  // namespace waferloom::sim
