#include "placer/annealing/curve_arithmetic.h"

#include <doctest/doctest.h>

#include <vector>

namespace waferloom::placer {
namespace {

constexpr Side kU = kUnreachable;

TEST_CASE("sums saturate at unreachable") {
  const std::vector<Side> a{kU, 5, 3};
  const std::vector<Side> b{kU, kU, 4};
  std::vector<Side> sum(3);
  add_curves(a, b, sum);
  CHECK(sum == std::vector<Side>{kU, kU, 7});
  std::vector<Side> least{9, 9, 9};
  lower_to_sum(a, b, least);
  CHECK(least == std::vector<Side>{9, 9, 7});
}

TEST_CASE("the inverse answers the least side that brings the other down to y") {
  // F: at 2 wide 4 high, at 3 wide 1 high
  const std::vector<Side> curve{kU, kU, 4, 1, 1};
  std::vector<Side> inverse(6);
  invert_curve(curve, inverse);
  CHECK(inverse == std::vector<Side>{kU, 3, 3, 3, 2, 2});
}

TEST_CASE("values beyond the inverse's range do not matter") {
  const std::vector<Side> curve{kU, 100, 2};
  std::vector<Side> inverse(4);
  invert_curve(curve, inverse);
  CHECK(inverse == std::vector<Side>{kU, kU, 2, 2});
}

}  // namespace
}  // namespace waferloom::placer
