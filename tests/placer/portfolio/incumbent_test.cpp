#include "placer/portfolio/incumbent.h"

#include <doctest/doctest.h>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

Placement two_in_a_row(std::int64_t gap) {
  Execution execution;
  execution.c[0] = 1;
  execution.k[0] = 1;
  return Placement{
      {PlacedKernel{execution, 0, 0, false}, PlacedKernel{execution, 3 + gap, 0, false}}};
}

TEST_CASE("only better placements are kept and told; equal ones go to the smaller rank") {
  const Problem problem(
      test::problem_data({test::dense(1, 1), test::dense(1, 1)}, test::chain(2), Wafer{12, 8}));
  int told = 0;
  Incumbent incumbent(problem, [&](const PlaceImprovement&) { ++told; });
  incumbent.offer(two_in_a_row(2), "a", 5);
  incumbent.offer(two_in_a_row(4), "b", 6);
  CHECK(told == 1);
  CHECK(incumbent.best()->strategy == "a");
  incumbent.offer(two_in_a_row(0), "c", 7);
  CHECK(told == 2);
  CHECK(incumbent.best()->score == score(problem, two_in_a_row(0)));
  incumbent.offer(two_in_a_row(0), "d", 9);
  CHECK(incumbent.best()->strategy == "c");
  incumbent.offer(two_in_a_row(0), "e", 3);
  CHECK(incumbent.best()->strategy == "e");
  CHECK(told == 2);
}

}  // namespace
}  // namespace waferloom::placer
