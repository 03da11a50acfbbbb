#include "planner/dfmodel/systems/critical_time_cut.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

using StageCost = std::function<double(std::size_t first, std::size_t last)>;

/// The least longest stage over all ways to cut [first, count).
double brute_force(std::size_t first, std::size_t count, std::size_t stages,
                   const StageCost& cost) {
  if (stages == 1) return cost(first, count);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t last = first + 1; last + stages - 1 <= count; ++last) {
    least =
        std::min(least, std::max(cost(first, last), brute_force(last, count, stages - 1, cost)));
  }
  return least;
}

TEST_CASE("a cut by critical time equals brute force on random chains") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const std::size_t count = 1 + random() % 9;
    const std::size_t stages = 1 + random() % count;
    std::vector<double> costs(count);
    std::vector<double> passed(count);
    for (double& cost : costs) cost = static_cast<double>(random() % 31) / 8;
    for (double& output : passed) output = static_cast<double>(random() % 31) / 8;
    const StageCost critical = [&](std::size_t first, std::size_t last) {
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) sum += costs[i];
      return std::max(
          {sum, first == 0 ? 0 : passed[first - 1], last == count ? 0 : passed[last - 1]});
    };
    const ChainCut<double> cut = cut_by_critical_time(costs, passed, stages);
    CHECK(cut.longest == brute_force(0, count, stages, critical));
    REQUIRE(cut.first.size() == stages);
    double longest = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      const std::size_t end = i + 1 < stages ? cut.first[i + 1] : count;
      REQUIRE(cut.first[i] < end);
      longest = std::max(longest, critical(cut.first[i], end));
    }
    CHECK(cut.longest == longest);
  }
}

TEST_CASE("a costly output is not passed on") {
  // In two stages of 2 elements each the output of 100 would cross.
  CHECK(cut_by_critical_time({3, 3, 3, 3}, {0, 100, 1, 0}, 2).first ==
        std::vector<std::size_t>{0, 3});
}

TEST_CASE("impossible cuts are refused") {
  CHECK_THROWS_AS(cut_by_critical_time({1, 2}, {0, 0}, 3), RequestError);
  CHECK_THROWS_AS(cut_by_critical_time({1, 2}, {0}, 2), std::logic_error);
  CHECK_THROWS_AS(cut_by_critical_time({1, -2}, {0, 0}, 1), std::logic_error);
}

}  // namespace
}  // namespace waferloom::planner
