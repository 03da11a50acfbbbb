#include "sweep/points/samples.h"

#include <doctest/doctest.h>

#include "model/errors.h"

using namespace waferloom;
using namespace waferloom::sweep;

namespace {

using Method = Sampling::Method;

/// How many points fall into each of `slices` equal parts of a dimension.
std::vector<int> filled(Method method, std::uint64_t points, std::size_t dimension) {
  const auto sampler = make_sampler({method, points, 7}, 3);
  std::vector<int> slices(points, 0);
  for (std::uint64_t i = 0; i < points; ++i) {
    const double share = sampler->next()[dimension];
    REQUIRE(share >= 0);
    REQUIRE(share < 1);
    ++slices[static_cast<std::size_t>(share * static_cast<double>(points))];
  }
  return slices;
}

}  // namespace

TEST_CASE("a Latin hypercube draws from every slice of every dimension once") {
  for (const std::size_t dimension : {0U, 1U, 2U}) {
    CHECK(filled(Method::latin_hypercube, 50, dimension) == std::vector<int>(50, 1));
  }
}

TEST_CASE("64 points of a Sobol sequence leave no eighth of a dimension short") {
  const auto sampler = make_sampler({Method::sobol, 64, 7}, 2);
  std::vector<int> eighths(8, 0);
  for (int i = 0; i < 64; ++i) ++eighths[static_cast<std::size_t>(sampler->next()[1] * 8)];
  for (const int count : eighths) {
    CHECK(count >= 7);
    CHECK(count <= 9);
  }
}

TEST_CASE("a seed gives the same points, another others") {
  for (const Method method : {Method::latin_hypercube, Method::sobol}) {
    const auto first = [&](std::uint64_t seed) {
      return make_sampler({method, 10, seed}, 2)->next();
    };
    CHECK(first(1) == first(1));
    CHECK(first(1) != first(2));
  }
}

TEST_CASE("a Sobol sequence has 3667 dimensions") {
  CHECK_NOTHROW(make_sampler({Method::sobol, 1, 0}, 3667));
  CHECK_THROWS_AS(make_sampler({Method::sobol, 1, 0}, 3668), RequestError);
}
