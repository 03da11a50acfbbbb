#include "planner/dfmodel/mapping/cbc_solver.h"

#include <doctest/doctest.h>

#include "planner/dfmodel/mapping/mapping_milp.h"
#include "tests/planner/dfmodel/mapping/random_graphs.h"
#include "tests/support/close_to.h"

namespace waferloom::planner {
namespace {

using test::close_to;

/// Four things of worth 5, 4, 3, 7 and weight 2, 3, 1, 4 in a sack for `most`.
MixedProgram knapsack(double most) {
  MixedProgram program;
  for (const double metrics : {5.0, 4.0, 3.0, 7.0}) program.columns.push_back({1, -metrics, true});
  program.row_most = {most};
  program.entries = {{0, 0, 2}, {0, 1, 3}, {0, 2, 1}, {0, 3, 4}};
  return program;
}

TEST_CASE("a knapsack is filled as well as can be") {
  const MixedProgramSolution solution = solve_mixed_program(knapsack(5), {});
  REQUIRE(solution.is_optimal);
  CHECK(solution.bound == close_to(-10));  // the third and the fourth
  REQUIRE(solution.values.size() == 4);
  CHECK(solution.values[0] == close_to(0));
  CHECK(solution.values[2] == close_to(1));
  CHECK(solution.values[3] == close_to(1));
}

TEST_CASE("a start changes nothing of the optimum") {
  MixedProgramOptions options;
  options.start = {{0, 1}, {1, 1}, {2, 0}, {3, 0}};
  const MixedProgramSolution solution = solve_mixed_program(knapsack(5), options);
  CHECK(solution.is_optimal);
  CHECK(solution.bound == close_to(-10));
}

TEST_CASE("what has no solution is said to have none, with and without whole numbers") {
  CHECK(solve_mixed_program(knapsack(-1), {}).is_infeasible);
  MixedProgram half;  // 2 x = 1
  half.columns = {{1, 1, true}};
  half.row_most = {1, -1};
  half.entries = {{0, 0, 2}, {1, 0, -2}};
  const MixedProgramSolution solution = solve_mixed_program(half, {});
  CHECK(solution.is_infeasible);
  CHECK(solution.values.empty());
}

TEST_CASE("a time limit ends the search from the first linear program on") {
  RandomGraphs random(5);
  const MappingProblem problem = random.problem(random.graph(90, 4), 24);
  for (const double limit_s : {0.001, 0.2}) {
    MappingProgramOptions options;
    options.time_limit_s = limit_s;
    const MappingProgramResult result = solve_mapping_program(problem, options);
    CHECK_FALSE(result.is_proven);
    CHECK(result.bound_s >= 0);
  }
}

}  // namespace
}  // namespace waferloom::planner
