#include "placer/place.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "tests/placer/placer_cases.h"

namespace waferloom {
namespace {

PlaceOptions quick(int threads) {
  PlaceOptions options;
  options.effort = 1;
  options.threads = threads;
  return options;
}

TEST_CASE("what is placed is legal, scored as claimed and not below the bounds") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed ", seed);
    const Problem problem =
        test::medium_problem(1 + seed, Weights{decimal6(1), decimal6(2), decimal6(5)}, seed);
    const PlaceResult result = place(problem, quick(1));
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
    CHECK(score(problem, *result.placement) == result.score);
    CHECK(result.score.time >= result.bounds.time);
    const Int128 total = CostModel(problem).total(result.score);
    CHECK(total >= result.bounds.total);
    CHECK(result.optimal == (total == result.bounds.total));
  }
}

TEST_CASE("the number of threads changes nothing") {
  const Problem problem =
      test::medium_problem(10, Weights{decimal6(1), decimal6(3), decimal6(10)}, 17);
  const PlaceResult one = place(problem, quick(1));
  const PlaceResult two = place(problem, quick(2));
  const PlaceResult four = place(problem, quick(4));
  REQUIRE(one.placement.has_value());
  CHECK(one.placement == two.placement);
  CHECK(one.placement == four.placement);
  CHECK(one.strategy == four.strategy);
}

TEST_CASE("compute times just below the largest are placed without overflow") {
  // Sequentially 2^14 · 2^14 · 8 · 4 · 2^18 · 2000 steps, a little less than 2^62.
  const ConvFormal long_one{16'384, 16'384, 8, 4, 262'144, 2000, 1, 1};
  ProblemData data =
      test::problem_data({long_one, long_one, long_one}, test::chain(3), Wafer{7, 5});
  data.memory_limit = 1'000'000'000'000;
  const Problem problem(data);
  for (const char* strategy : {"auto", "rows", "signature-rows", "slicing-dp", "gigaplacer"}) {
    INFO(strategy);
    PlaceOptions options = quick(1);
    options.strategy = strategy;
    const PlaceResult result = place(problem, options);
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
    CHECK(score(problem, *result.placement) == result.score);
    CHECK(CostModel(problem).total(result.score) >= result.bounds.total);
  }
}

TEST_CASE("a run that is stopped before it begins ends at once, without a placement") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  const std::atomic<bool> raised{true};
  for (const StrategyInfo& strategy : strategies()) {
    INFO(strategy.name);
    PlaceOptions options = quick(1);
    options.strategy = strategy.name;
    options.interrupted = &raised;
    const PlaceResult interrupted = place(problem, options);
    CHECK_FALSE(interrupted.placement.has_value());
    CHECK_FALSE(interrupted.infeasible.has_value());
    CHECK(interrupted.stopped_by == StopReason::interrupted);
    options.interrupted = nullptr;
    options.deadline = std::chrono::steady_clock::now();
    const PlaceResult late = place(problem, options);
    CHECK_FALSE(late.placement.has_value());
    CHECK(late.stopped_by == StopReason::time_limit);
  }
}

TEST_CASE("improvements come in falling order and end with the result") {
  const Problem problem = test::medium_problem(8, Weights{}, 5);
  const CostModel costs(problem);
  PlaceOptions options = quick(1);
  std::optional<Int128> last;
  options.on_improvement = [&](const PlaceImprovement& better) {
    CHECK(test::violations(problem, better.placement) == 0);
    const Int128 total = costs.total(better.score);
    if (last) CHECK(total < *last);
    last = total;
  };
  const PlaceResult result = place(problem, options);
  REQUIRE(last.has_value());
  CHECK(*last == costs.total(result.score));
}

TEST_CASE("every strategy of the table gives legal placements") {
  const Problem problem = test::medium_problem(6, Weights{}, 23, false);
  for (const StrategyInfo& strategy : strategies()) {
    INFO(strategy.name);
    PlaceOptions options = quick(1);
    options.strategy = strategy.name;
    const PlaceResult result = place(problem, options);
    REQUIRE(result.placement.has_value());
    CHECK(test::violations(problem, *result.placement) == 0);
  }
}

PartialPlacement partial(const Placement& placement) {
  PartialPlacement start;
  for (const PlacedKernel& kernel : placement.kernels) start.kernels.emplace_back(kernel);
  return start;
}

TEST_CASE("the result is no worse than a legal start") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  const CostModel costs(problem);
  const PlaceResult best = place(problem, quick(1));
  REQUIRE(best.placement.has_value());
  PlaceOptions options = quick(1);
  options.strategy = "signature-rows";
  const PlaceResult alone = place(problem, options);
  REQUIRE(costs.total(alone.score) > costs.total(best.score));
  options.start = partial(*best.placement);
  const PlaceResult from_best = place(problem, options);
  CHECK(costs.total(from_best.score) == costs.total(best.score));
  CHECK(from_best.strategy == "start");
}

TEST_CASE("a start that overlaps, lacks kernels or leaves the wafer becomes legal") {
  const Problem problem = test::medium_problem(9, Weights{}, 23);
  const CostModel costs(problem);
  PlaceOptions options = quick(1);
  const PlaceResult best = place(problem, options);
  REQUIRE(best.placement.has_value());
  options.start = partial(*best.placement);
  SUBCASE("overlap") {
    options.start->kernels[0]->x = options.start->kernels[1]->x;
    options.start->kernels[0]->y = options.start->kernels[1]->y;
  }
  SUBCASE("missing") {
    options.start->kernels[3].reset();
    options.start->kernels[4].reset();
  }
  SUBCASE("beyond the wafer") { options.start->kernels[2]->x = problem.wafer().width - 1; }
  SUBCASE("an execution that there is not") { options.start->kernels[5]->execution.h = 0; }
  SUBCASE("nothing but one") {
    for (std::size_t i = 1; i < options.start->kernels.size(); ++i) {
      options.start->kernels[i].reset();
    }
  }
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  CHECK(test::violations(problem, *result.placement) == 0);
  CHECK(place(problem, options).placement == result.placement);
}

TEST_CASE("a small change in is a small change out") {
  const Problem problem = test::medium_problem(9, Weights{}, 23);
  PlaceOptions options = quick(1);
  const PlaceResult best = place(problem, options);
  REQUIRE(best.placement.has_value());
  options.start = partial(*best.placement);
  options.start->kernels[4].reset();
  const PlaceResult result = place(problem, options);
  REQUIRE(result.placement.has_value());
  const CostModel costs(problem);
  CHECK(costs.total(result.score) * 100 <= costs.total(best.score) * 105);
}

TEST_CASE("an interrupt before the start and a deadline in the past are told") {
  const Problem problem = test::medium_problem(6, Weights{}, 23);
  const std::atomic<bool> interrupted{true};
  PlaceOptions options = quick(1);
  options.interrupted = &interrupted;
  CHECK(place(problem, options).stopped_by == StopReason::interrupted);
  options.interrupted = nullptr;
  options.deadline = std::chrono::steady_clock::now();
  CHECK(place(problem, options).stopped_by == StopReason::time_limit);
}

TEST_CASE("unknown strategies and cycles are refused") {
  PlaceOptions options = quick(1);
  options.strategy = "no such";
  CHECK_THROWS_AS(place(test::medium_problem(3, Weights{}, 1), options), std::invalid_argument);
  const Problem cyclic(
      test::problem_data({test::dense(1, 1), test::dense(1, 1)}, {{0, 1}, {1, 0}}, Wafer{20, 20}));
  CHECK_THROWS_AS(place(cyclic, quick(1)), std::invalid_argument);
}

}  // namespace
}  // namespace waferloom
