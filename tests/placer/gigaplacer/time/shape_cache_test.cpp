#include "placer/gigaplacer/time/shape_cache.h"

#include <doctest/doctest.h>

#include "tests/support/small_problems.h"

using namespace waferloom;
using namespace waferloom::placer;
using namespace waferloom::test;

TEST_CASE("shape cache: answers what the library does, once for each type and cap") {
  const Problem problem(
      problem_data({dense(4, 4), dense(8, 8), dense(4, 4)}, chain(3), Wafer{30, 20}));
  const ShapeLibrary library(problem);
  ShapeCache cache(library);
  for (const std::int64_t time : {1, 2, 4, 16}) {
    for (KernelIndex kernel = 0; kernel < 3; ++kernel) {
      const std::vector<Shape> front = library.front(library.type_of(kernel), time);
      const auto held = cache.shapes(kernel, time);
      REQUIRE(held->front.size() == front.size());
      for (std::size_t i = 0; i < front.size(); ++i) {
        CHECK(held->front[i].size == front[i].size);
        CHECK(held->front[i].execution == front[i].execution);
      }
      CHECK(held->curve.values() == ShapeCurve(front, library.largest_side()).values());
    }
    CHECK(cache.shapes(0, time) == cache.shapes(2, time));  // one object for one type
    CHECK(cache.shapes(0, time) != cache.shapes(1, time));
  }
  CHECK(cache.size() == 8);
}

TEST_CASE("shape cache: forgets all when full, and what was handed out stays") {
  const Problem problem(problem_data({dense(4, 4)}, {}, Wafer{30, 20}));
  const ShapeLibrary library(problem);
  ShapeCache cache(library);
  const auto first = cache.shapes(0, 16);
  const std::vector<Side> values = first->curve.values();
  for (std::size_t time = 17; cache.size() < ShapeCache::kMostEntries; ++time) {
    cache.shapes(0, static_cast<std::int64_t>(time));
  }
  cache.shapes(0, 1);
  CHECK(cache.size() == 1);
  CHECK(first->curve.values() == values);
  CHECK(cache.shapes(0, 16) != first);
}
