#include <doctest/doctest.h>

#include "optimize/routes.h"
#include "tests/support/close_to.h"
#include "tests/support/small_problems.h"

namespace waferloom::optimize {
namespace {

using test::close_to;
using test::dense;

Problem three_kernels_in_a_row() {
  return Problem(test::chain({dense(4, 4), dense(4, 4), dense(4, 4)}));
}

Routes priced_routes(const Problem& problem, double first, double second) {
  const std::vector<std::string> names = priced_names(problem);
  Routes routes{"h", 10, 10, {}};
  routes.tensors = {{names[0], 8, {}, {}, first}, {names[1], 8, {}, {}, second}};
  return routes;
}

TEST_CASE("the price of an edge is that of its tensor and of its gradient") {
  const Problem problem = three_kernels_in_a_row();
  Routes routes = priced_routes(problem, 0.25, 0);
  const std::string& name = routes.tensors[1].name;
  routes.tensors.push_back({"gradient of " + name, 8, {}, {}, 0.5});
  routes.tensors.push_back({"something else", 8, {}, {}, 0.75});
  const std::vector<double> prices = edge_prices(problem, routes);
  REQUIRE(prices.size() == 2);
  CHECK(prices[0] == close_to(0.25));
  CHECK(prices[1] == close_to(0.5));
  routes.tensors.erase(routes.tensors.begin());
  CHECK(edge_prices(problem, routes)[0] == 0);
}

TEST_CASE("between stages whose tiles hold several parts the prices of all tensors add up") {
  sim::PlanStages stages{three_kernels_in_a_row(),
                         1,
                         {},
                         {{"s0.0 -> s1.0", "s1.0 -> s0.1", "s0.1 -> s1.1"}, {"s1.0 -> s2.0"}},
                         {}};
  Routes routes{"h", 10, 10, {}};
  routes.tensors = {{"s0.0 -> s1.0", 8, {}, {}, 0.25},
                    {"gradient of s0.1 -> s1.1", 8, {}, {}, 0.5},
                    {"memory -> s2", 8, {}, {}, 0.75}};
  const std::vector<double> prices = stage_prices(stages, routes);
  REQUIRE(prices.size() == 2);
  CHECK(prices[0] == close_to(0.75));
  CHECK(prices[1] == 0);
}

TEST_CASE("edges weigh by their prices, a tenth alike") {
  const Problem problem = three_kernels_in_a_row();
  const Problem other = priced(problem, edge_prices(problem, priced_routes(problem, 0.3, 0.1)));
  CHECK(other.connections()[0].weight == Decimal6{1'450'000});
  CHECK(other.connections()[1].weight == Decimal6{550'000});
  CHECK(other.weights() == problem.weights());
  const Problem free = priced(problem, {0, 0});
  CHECK(free.connections()[0].weight == decimal6(1));
  CHECK(free.connections()[1].weight == decimal6(1));
}

TEST_CASE("tensors have the names that routes have for them") {
  ProblemData data = test::chain({dense(4, 4), dense(4, 4)});
  data.connections.push_back(data.connections[0]);
  const Problem problem(std::move(data));
  const std::vector<std::string> names = priced_names(problem);
  REQUIRE(names.size() == 4);
  CHECK(names[1] == names[0] + " #2");
  CHECK(names[2] == "gradient of " + names[1]);
  CHECK(names[3] == "gradient of " + names[0]);
}

TEST_CASE("what was found by prices is told by the case's own weights and bounds") {
  const Problem problem = three_kernels_in_a_row();
  const Problem weighed = priced(problem, {1, 0});
  const PlacerRun run{weighed, "case", "auto", {}, {}};
  SearchControl control;
  control.effort = 1;
  const PlacerOutcome found = run_placer(run, control);
  REQUIRE(found.best);
  const PlacerOutcome own = under_own_weights(problem, found);
  REQUIRE(own.best);
  CHECK(own.best->placement == found.best->placement);
  CHECK(own.best->score == score(problem, found.best->placement));
  CHECK(own.result.score == own.best->score);
  CHECK(own.result.bounds.total == placer::lower_bounds(problem)->total);
  CHECK(own.result.bounds.total <= CostModel(problem).total(own.best->score));
  CHECK_FALSE(under_own_weights(problem, {}).best);
}

}  // namespace
}  // namespace waferloom::optimize
