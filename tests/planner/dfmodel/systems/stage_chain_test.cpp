#include "planner/dfmodel/systems/stage_chain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

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

struct RandomChains {
  explicit RandomChains(unsigned seed) : random(seed) {}
  std::size_t whole(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  }
  std::vector<double> costs(std::size_t count) {
    std::vector<double> result(count);
    for (double& value : result) value = static_cast<double>(whole(0, 30)) / 7;
    return result;
  }
  std::mt19937 random;
};

TEST_CASE("a chain's stages equal brute force on random chains") {
  const unsigned seed = 1106;
  INFO("seed ", seed);
  RandomChains random(seed);
  for (int round = 0; round < 300; ++round) {
    INFO("round ", round);
    const std::vector<double> costs = random.costs(random.whole(1, 9));
    const std::vector<double> passed = random.costs(costs.size());
    const std::size_t count = costs.size();
    const std::size_t stages = random.whole(1, count);
    std::vector<double> sum{0};
    for (const double cost : costs) sum.push_back(sum.back() + cost);
    const StageCost added = [&](std::size_t first, std::size_t last) {
      return sum[last] - sum[first];
    };
    const StageCut cut = cut_chain(costs, stages);
    CHECK(cut.longest == brute_force(0, count, stages, added));
    CHECK(cut.first.size() == stages);
    CHECK(cut.first.front() == 0);
    CHECK(std::adjacent_find(cut.first.begin(), cut.first.end(), std::greater_equal<>()) ==
          cut.first.end());
    const StageCost critical = [&](std::size_t first, std::size_t last) {
      return std::max({sum[last] - sum[first], first == 0 ? 0 : passed[first - 1],
                       last == count ? 0 : passed[last - 1]});
    };
    const StageCut other = cut_chain(costs, passed, stages);
    CHECK(other.longest == brute_force(0, count, stages, critical));
    CHECK(other.first.size() == stages);
  }
}

TEST_CASE("a chain of equal layers is cut evenly") {
  const StageCut even = cut_chain(std::vector<double>(96, 2.0), 8);
  CHECK(even.longest == 24);
  CHECK(even.first == std::vector<std::size_t>{0, 12, 24, 36, 48, 60, 72, 84});
  CHECK(cut_chain({5, 1, 1, 1}, 2).first == std::vector<std::size_t>{0, 1});
  CHECK(cut_chain({1, 1, 1}, 3).longest == 1);
}

TEST_CASE("a costly output is not passed on") {
  // In two stages of 2 elements each the output of 100 would cross.
  CHECK(cut_chain({3, 3, 3, 3}, {0, 100, 1, 0}, 2).first == std::vector<std::size_t>{0, 3});
}

TEST_CASE("impossible stages are refused") {
  CHECK_THROWS_WITH_AS(cut_chain({1, 2}, 3), "cannot cut 2 elements into 3 stages", RequestError);
  CHECK_THROWS_AS(cut_chain({1, 2}, 0), RequestError);
  CHECK_THROWS_AS(cut_chain({1, -2}, 1), std::logic_error);
}

}  // namespace
}  // namespace waferloom::planner
