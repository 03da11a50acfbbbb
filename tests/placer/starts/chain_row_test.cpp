#include "placer/starts/chain_row.h"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <vector>

#include "benchmarks_ispd2020/cases.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

std::optional<Int128> best_row(const Problem& problem) {
  return test::best_total(problem, chain_row);
}

TEST_CASE("chains of the contest are laid out at their proven optimum") {
  struct Known {
    const char* name;
    int total;
  };
  for (const Known& known : {Known{"N", 3385}, Known{"T", 12'469}}) {
    INFO(known.name);
    const Problem problem = ispd2020::make_case(known.name);
    const auto total = best_row(problem);
    REQUIRE(total.has_value());
    CHECK(*total == known.total * CostModel(problem).scale());
  }
}

TEST_CASE("rows run along the longer side, and other graphs than paths give none") {
  const auto formals = std::vector<KernelFormal>(6, test::dense(1, 1));
  CHECK(best_row(Problem(test::problem_data(formals, test::chain(6), Wafer{3, 20}))).has_value());
  CHECK(best_row(Problem(test::problem_data(formals, test::chain(6), Wafer{20, 3}))).has_value());
  CHECK_FALSE(best_row(test::medium_problem(6, Weights{}, 3)).has_value());
}

TEST_CASE("weights a thousand million times as large change nothing") {
  // Times in millionths, so that costs are counted in small units besides.
  const ShapesFormal list{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{{9, 10, 20'000'000, 0, Signature{1, 1, 2, 2}},
                               {7, 14, 25'000'001, 0, Signature{2, 1, 2, 2}},
                               {5, 21, 29'000'000, 0, Signature{1, 2, 2, 2}}})};
  ProblemData data = test::problem_data({list, test::dense(2, 2), list, test::dense(2, 2), list},
                                        test::chain(5), Wafer{30, 22});
  data.weights = Weights{decimal6(1), decimal6(1), decimal6(9)};
  const auto total = best_row(Problem(data));
  constexpr std::int64_t kTimes = 1'000'000'000;
  data.weights = Weights{decimal6(kTimes), decimal6(kTimes), decimal6(9 * kTimes)};
  const auto large_total = best_row(Problem(data));
  REQUIRE(total.has_value());
  REQUIRE(large_total.has_value());
  CHECK(*large_total == *total * kTimes);
}

}  // namespace
}  // namespace waferloom::placer
