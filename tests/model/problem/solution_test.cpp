#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

#include "model/placement.h"
#include "tests/support/small_problems.h"

namespace waferloom {

TEST_CASE("a placement becomes a solution in the problem's order") {
  const Solution solution = to_solution(test::contest_example(), test::contest_example_placement());
  REQUIRE(solution.kernels.size() == 3);
  REQUIRE(solution.places.size() == 3);
  CHECK(solution.kernels[1].name == "k2");
  CHECK(solution.kernels[1].formal == KernelFormal(CblockFormal{56, 56, 512}));
  CHECK(solution.kernels[1].execution == Execution{4, 4, {8, 8, 8, 8}, {32, 32, 8, 19}});
  CHECK(solution.places[1].x == 150);
  CHECK_FALSE(solution.places[1].rotated);
  CHECK(solution.places[2].rotated);
}

TEST_CASE("back from a solution, whatever its order") {
  const Problem problem = test::contest_example();
  const Placement placement = test::contest_example_placement();
  Solution solution = to_solution(problem, placement);
  std::reverse(solution.kernels.begin(), solution.kernels.end());
  std::rotate(solution.places.begin(), solution.places.begin() + 1, solution.places.end());
  CHECK(to_placement(problem, solution) == placement);
}

TEST_CASE("missing, duplicate and unknown kernels have no placement") {
  const Problem problem = test::contest_example();
  const Solution good = to_solution(problem, test::contest_example_placement());
  Solution missing = good;
  missing.kernels.pop_back();
  CHECK_THROWS_AS(to_placement(problem, missing), std::logic_error);
  missing = good;
  missing.places.pop_back();
  CHECK_THROWS_AS(to_placement(problem, missing), std::logic_error);
  Solution duplicate = good;
  duplicate.places[0].name = "k2";
  CHECK_THROWS_AS(to_placement(problem, duplicate), std::logic_error);
  Solution unknown = good;
  unknown.kernels[0].name = "k9";
  CHECK_THROWS_AS(to_placement(problem, unknown), std::logic_error);
  CHECK_THROWS_AS(to_solution(problem, Placement{}), std::logic_error);
}

TEST_CASE("to a solution and back is the identity") {
  const std::uint64_t seed = 71;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 200; ++round) {
    const Problem problem = test::random_problem(random);
    const Placement placement = test::random_placement(random, problem);
    CHECK(to_placement(problem, to_solution(problem, placement)) == placement);
  }
}

TEST_CASE("a start takes what fits the problem and leaves the rest") {
  const Problem problem = test::contest_example();
  const Placement placement = test::contest_example_placement();
  const Solution whole = to_solution(problem, placement);
  const auto start = [&](auto change) {
    Solution solution = whole;
    change(solution);
    return to_partial_placement(problem, solution).kernels;
  };
  const auto all = start([](Solution&) {});
  for (KernelIndex i = 0; i < 3; ++i) CHECK(all[i] == placement.kernels[i]);
  CHECK_FALSE(start([](Solution& s) { s.places.pop_back(); })[2].has_value());
  CHECK_FALSE(start([](Solution& s) { s.kernels.push_back(s.kernels[1]); })[1].has_value());
  CHECK_FALSE(start([](Solution& s) { s.kernels[0].execution.h = 0; })[0].has_value());
  CHECK_FALSE(start([](Solution& s) { s.kernels[0].formal = test::kPixel; })[0].has_value());
  CHECK(start([](Solution& s) { s.places[0].x = -7; })[0]->x == -7);
  CHECK(start([](Solution& s) { s.places[0].name = "other"; })[1] == placement.kernels[1]);
}

}  // namespace waferloom
