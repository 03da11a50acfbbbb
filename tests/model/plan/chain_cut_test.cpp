#include <doctest/doctest.h>

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>

#include "model/errors.h"
#include "model/plan.h"

namespace waferloom {
namespace {

using Works = std::vector<std::int64_t>;
using Begins = std::vector<std::size_t>;

template <typename Cost>
Cost sum(const std::vector<Cost>& costs, std::size_t first, std::size_t last) {
  return std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(first),
                         costs.begin() + static_cast<std::ptrdiff_t>(last), Cost{0});
}

/// The costliest stage of the best of all cuts of the elements from `first` on.
template <typename Cost>
Cost brute_force(const std::vector<Cost>& costs, std::size_t first, std::size_t stages) {
  if (stages == 1) return sum(costs, first, costs.size());
  Cost least = std::numeric_limits<Cost>::max();
  for (std::size_t last = first + 1; last + stages - 1 <= costs.size(); ++last) {
    least =
        std::min(least, std::max(sum(costs, first, last), brute_force(costs, last, stages - 1)));
  }
  return least;
}

template <typename Cost>
void check_random_chains(double unit) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<Cost> costs(1 + random() % 9);
    for (Cost& cost : costs) cost = static_cast<Cost>(static_cast<double>(random() % 20) * unit);
    const std::size_t stages = 1 + random() % costs.size();
    const ChainCut<Cost> cut = cut_chain(costs, stages);
    REQUIRE(cut.first.size() == stages);
    CHECK(cut.first.front() == 0);
    Cost longest{};
    for (std::size_t i = 0; i < stages; ++i) {
      const std::size_t end = i + 1 < stages ? cut.first[i + 1] : costs.size();
      REQUIRE(cut.first[i] < end);
      longest = std::max(longest, sum(costs, cut.first[i], end));
    }
    CHECK(cut.longest == longest);
    CHECK(cut.longest == brute_force(costs, 0, stages));
  }
}

TEST_CASE("no cut of a random chain has a cheaper costliest stage") {
  check_random_chains<std::int64_t>(1);
  check_random_chains<double>(0.125);  // sums are exact
}

TEST_CASE("equal elements are cut evenly, and the first stages are the longest") {
  CHECK(cut_chain(Works{5, 5, 5, 5, 5, 5}, 3).first == Begins{0, 2, 4});
  CHECK(cut_chain(Works{9, 1, 1, 1, 1}, 2).first == Begins{0, 1});
  CHECK(cut_chain(Works{1, 1, 1, 9}, 3).first == Begins{0, 2, 3});
  CHECK(cut_chain(Works{0, 0, 0}, 3).first == Begins{0, 1, 2});
  const ChainCut<double> even = cut_chain(std::vector<double>(96, 2.0), 8);
  CHECK(even.longest == 24);
  CHECK(even.first == Begins{0, 12, 24, 36, 48, 60, 72, 84});
}

TEST_CASE("sums beyond 2^53 are exact") {
  const std::int64_t large = std::int64_t{1} << 61;
  const ChainCut<std::int64_t> cut = cut_chain(Works{large, 1, large}, 2);
  CHECK(cut.first == Begins{0, 2});
  CHECK(cut.longest == large + 1);
}

TEST_CASE("impossible stages are refused") {
  CHECK_THROWS_WITH_AS(cut_chain(Works{1, 2}, 3), "cannot cut 2 elements into 3 stages",
                       RequestError);
  CHECK_THROWS_AS(cut_chain(Works{1, 2}, 0), RequestError);
  CHECK_THROWS_AS(cut_chain(Works{1, -2}, 1), std::logic_error);
  CHECK_THROWS_AS(cut_chain(std::vector<double>{std::numeric_limits<double>::infinity()}, 1),
                  std::logic_error);
}

}  // namespace
}  // namespace waferloom
