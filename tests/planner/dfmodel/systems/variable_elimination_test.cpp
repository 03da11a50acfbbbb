#include "planner/dfmodel/systems/variable_elimination.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "model/errors.h"

namespace waferloom::planner {
namespace {

constexpr double kForbidden = std::numeric_limits<double>::infinity();

double brute_force(const ChoiceProblem& problem) {
  std::vector<std::size_t> choices(problem.single.size(), 0);
  double least = kForbidden;
  while (true) {
    least = std::min(least, choice_cost(problem, choices));
    std::size_t place = 0;
    while (place < choices.size() && ++choices[place] == problem.single[place].size()) {
      choices[place++] = 0;
    }
    if (place == choices.size()) return least;
  }
}

struct RandomProblems {
  explicit RandomProblems(unsigned seed) : random(seed) {}

  std::size_t whole(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  }
  double cost() { return static_cast<double>(whole(0, 40)); }

  ChoiceProblem next() {
    ChoiceProblem problem;
    problem.single.resize(whole(1, 7));
    for (auto& single : problem.single) {
      single.resize(whole(1, 5));
      for (double& value : single) value = cost();
    }
    for (auto& single : problem.single) {
      if (whole(0, 3) == 0) single.front() = kForbidden;
    }
    const std::size_t count = problem.single.size();
    const std::size_t pairs = count < 2 ? 0 : whole(0, 4 * count);
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t first = whole(0, count - 1);
      const std::size_t second = (first + whole(1, count - 1)) % count;
      PairCost pair{first, second, {}};
      pair.cost.resize(problem.single[first].size() * problem.single[second].size());
      for (double& value : pair.cost) value = cost();
      problem.pairs.push_back(pair);
    }
    return problem;
  }

  std::mt19937 random;
};

TEST_CASE("variable elimination equals brute force on random graphs") {
  const unsigned seed = 20261122;
  INFO("seed ", seed);
  RandomProblems random(seed);
  std::size_t widest = 0;
  for (int round = 0; round < 300; ++round) {
    INFO("round ", round);
    const ChoiceProblem problem = random.next();
    const ChoiceResult found = least_cost_choices(problem);
    CHECK(found.cost == brute_force(problem));
    CHECK(found.cost == choice_cost(problem, found.choices));
    widest = std::max(widest, found.width);
  }
  CHECK(widest >= 4);
}

TEST_CASE("a chain is eliminated at width 1, a cycle at 2") {
  ChoiceProblem problem;
  problem.single.assign(6, {0, 1});
  const std::vector<double> unlike{0, 3, 3, 0};
  for (std::size_t i = 0; i + 1 < 6; ++i) problem.pairs.push_back({i, i + 1, unlike});
  problem.single[5] = {kForbidden, 0};
  const ChoiceResult chain = least_cost_choices(problem);
  CHECK(chain.width == 1);
  // One step from 0 to 1 costs 3; only zeros before it.
  CHECK(chain.cost == 3);
  CHECK(chain.choices == std::vector<std::size_t>{0, 0, 0, 0, 0, 1});
  problem.pairs.push_back({5, 0, unlike});
  const ChoiceResult cycle = least_cost_choices(problem);
  CHECK(cycle.width == 2);
  CHECK(cycle.cost == 5);  // all ones but for the last, which is free
}

TEST_CASE("among equal choices the first is taken") {
  ChoiceProblem problem;
  problem.single = {{2, 1, 1}, {0, 0}};
  CHECK(least_cost_choices(problem).choices == std::vector<std::size_t>{1, 0});
}

TEST_CASE("a graph that is too dense is refused") {
  ChoiceProblem problem;
  problem.single.assign(14, std::vector<double>(5, 0.0));
  for (std::size_t a = 0; a < 14; ++a) {
    for (std::size_t b = a + 1; b < 14; ++b) {
      problem.pairs.push_back({a, b, std::vector<double>(25, 0.0)});
    }
  }
  CHECK_THROWS_AS(least_cost_choices(problem), RequestError);
}

}  // namespace
}  // namespace waferloom::planner
