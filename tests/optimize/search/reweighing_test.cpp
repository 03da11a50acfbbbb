#include "optimize/search/reweighing.h"

#include <doctest/doctest.h>

#include "tests/support/small_problems.h"

namespace waferloom::optimize {
namespace {

using test::dense;

Problem three_in_a_row() {
  ProblemData data = test::chain({dense(4, 4), dense(4, 4), dense(4, 4)});
  data.weights = {decimal6(2), decimal6(3), decimal6(5)};
  return Problem(std::move(data));
}

TEST_CASE("weights are multiplied, everything else stays") {
  const Problem other = reweighed(three_in_a_row(), {0.5, 4, 0.1, {}});
  CHECK(other.weights() == Weights{decimal6(1), decimal6(12), Decimal6{500'000}});
  CHECK(other.connections() == three_in_a_row().connections());
  CHECK(other.kernel_count() == 3);
  CHECK(other.has_unit_edges());
}

TEST_CASE("edges are scaled to a mean of one, in hundredths, at least one") {
  const Problem other = reweighed(three_in_a_row(), {1, 1, 1, {30, 10}});
  CHECK(other.connections()[0].weight == Decimal6{1'500'000});
  CHECK(other.connections()[1].weight == Decimal6{500'000});
  const Problem steep = reweighed(three_in_a_row(), {1, 1, 1, {1'000'000, 1}});
  CHECK(steep.connections()[0].weight == decimal6(2));
  CHECK(steep.connections()[1].weight == Decimal6{10'000});
  const Problem none = reweighed(three_in_a_row(), {1, 1, 1, {0, 0}});
  CHECK(none.connections()[0].weight == decimal6(1));
}

TEST_CASE("blended loads: between alike and in proportion") {
  CHECK(blended({3, 1}, 0) == std::vector<double>{1, 1});
  CHECK(blended({3, 1}, 1) == std::vector<double>{1.5, 0.5});
  CHECK(blended({3, 1}, 0.5) == std::vector<double>{1.25, 0.75});
  CHECK(blended({0, 0}, 0.5) == std::vector<double>{1, 1});
  CHECK(blended({}, 0.5).empty());
}

}  // namespace
}  // namespace waferloom::optimize
