#include "placer/shapes/shape_library.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

TEST_CASE("equal kernels are of one type, numbered by their first kernels") {
  const Problem problem(test::problem_data(
      {test::dense(4, 4), test::dense(2, 8), test::dense(4, 4), DblockFormal{4, 4, 8}}, {},
      Wafer{40, 30}));
  const ShapeLibrary library(problem);
  CHECK(library.complete());
  CHECK(library.type_count() == 3);
  CHECK(library.type_of(0) == library.type_of(2));
  CHECK(library.type_of(3) == 2);
  CHECK(library.first_of(2) == 3);
  CHECK(library.type(1).formal == problem.kernel(1).formal);
  CHECK(library.largest_side() == 40);
}

TEST_CASE("a front has the shapes of shape_front that fit the wafer") {
  const Problem problem(
      test::problem_data({test::dense(9, 9), DblockFormal{4, 4, 12}}, {}, Wafer{60, 14}));
  const ShapeLibrary library(problem);
  std::size_t left_out = 0;
  for (std::int64_t time = 1; time < 200; time += 7) {
    for (std::size_t type = 0; type < library.type_count(); ++type) {
      std::vector<Extent> expected;
      for (const Shape& shape : shape_front(library.type(type), library.limits(type, time), 60)) {
        if (std::min(shape.size.width, shape.size.height) <= 14) {
          expected.push_back(shape.size);
        } else {
          ++left_out;
        }
      }
      std::vector<Extent> sizes;
      for (const Shape& shape : library.front(type, time)) sizes.push_back(shape.size);
      CHECK(sizes == expected);
    }
  }
  CHECK(left_out > 0);
}

TEST_CASE("the least area counts every kernel, and is that of all shapes together") {
  const Problem problem(test::problem_data(
      {test::dense(4, 4), test::dense(2, 8), test::dense(4, 4)}, {}, Wafer{40, 30}));
  const ShapeLibrary library(problem);
  for (std::int64_t time = 1; time < 20; ++time) {
    const ShapesAtTime shapes = library.at(time);
    CHECK(shapes.all_exist == library.least_area(time).has_value());
    if (!shapes.all_exist) continue;
    CHECK(shapes.least_area == *library.least_area(time));
    CHECK(shapes.least_area == 2 * shapes.curves[0].least_area() + shapes.curves[1].least_area());
  }
}

TEST_CASE("a stopped library is not complete") {
  const Problem problem = test::medium_problem(4, Weights{}, 1);
  std::atomic<bool> raised{true};
  CHECK_FALSE(ShapeLibrary(problem, RunControl{.stop = &raised}).complete());
}

TEST_CASE("bisection finds the least time in its interval") {
  for (const std::int64_t least : {3, 4, 70, 99, 100}) {
    CHECK(least_time(3, 100, [&](std::int64_t time) { return time >= least; }) == least);
  }
}

}  // namespace
}  // namespace waferloom::placer
