#include "placer/bounds/bounds.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>

#include "kernels/kernel.h"
#include "placer/place.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

std::optional<std::int64_t> bound_on_time(const Problem& problem) {
  return area_bound(ShapeLibrary(problem), ClearSpace(problem));
}

TEST_CASE("the area bound is the least time whose least areas fit, by linear search") {
  const Problem problem = test::medium_problem(8, Weights{}, 3);
  const ShapeLibrary library(problem);
  const auto bound = bound_on_time(problem);
  REQUIRE(bound.has_value());
  const auto fits = [&](std::int64_t time) {
    const ShapesAtTime shapes = library.at(time);
    return shapes.all_exist && shapes.least_area <= problem.wafer().width * problem.wafer().height;
  };
  std::int64_t least = 1;
  while (!fits(least)) ++least;
  CHECK(*bound == least);
}

TEST_CASE("the total bound is no less than the edge bound over all caps, by linear search") {
  for (const std::int64_t per_distance : {0, 1, 7, 100}) {
    INFO("wlength ", per_distance);
    const Problem problem =
        test::medium_problem(5, Weights{decimal6(1), decimal6(per_distance), decimal6(3)}, 31);
    const ShapeLibrary library(problem);
    const CostModel costs(problem);
    const auto bounds = lower_bounds(problem);
    REQUIRE(bounds.has_value());
    std::optional<Int128> least;
    for (std::int64_t time = bounds->time; time <= slowest_time(problem); ++time) {
      const ShapesAtTime shapes = library.at(time);
      std::int64_t distance = 0;
      for (const Connection& edge : problem.connections()) {
        distance += shapes.curves[library.type_of(edge.producer)].least_thin_side() +
                    shapes.curves[library.type_of(edge.consumer)].least_thin_side();
      }
      const Int128 total = costs.total(Score{time, distance, 0});
      if (!least || total < *least) least = total;
    }
    CHECK(bounds->total >= *least);
  }
}

TEST_CASE("two kernels side by side meet the bound exactly") {
  // Each is 3×2 tiles at the least (c 1, k 1): thin sides 2, centres 2 apart.
  const Problem problem(
      test::problem_data({test::dense(1, 1), test::dense(1, 1)}, test::chain(2), Wafer{3, 4}));
  const auto bounds = lower_bounds(problem);
  REQUIRE(bounds.has_value());
  CHECK(bounds->time == 1);
  CHECK(bounds->total == CostModel(problem).total(Score{1, 4, 0}));
}

TEST_CASE("a search that is stopped at once still answers with bounds") {
  const Problem problem =
      test::medium_problem(5, Weights{decimal6(1), decimal6(7), decimal6(3)}, 31);
  const ShapeLibrary library(problem);
  std::atomic<bool> raised{true};
  const auto early = lower_bounds(library, RunControl{.stop = &raised});
  const auto whole = lower_bounds(library, RunControl{});
  REQUIRE(early.has_value());
  REQUIRE(whole.has_value());
  CHECK(early->time >= 1);
  CHECK(early->time <= whole->time);
  CHECK(early->total >= 0);
  CHECK(early->total <= whole->total);
}

TEST_CASE("a kernel is as slow as the largest clear rectangle makes it") {
  test::Draw draw(8);
  int slower = 0;
  for (int round = 0; round < 12; ++round) {
    ProblemData data = test::problem_data({test::random_formal(draw)}, {}, Wafer{30, 24});
    const auto whole = bound_on_time(Problem(data));
    // A cross of dead tiles: what is left are four corners.
    data.wafer.dead = {{draw.between(8, 20), 0, 1, 24}, {0, draw.between(8, 15), 30, 1}};
    const Problem problem(data);
    const auto bound = bound_on_time(problem);
    PlaceOptions options;
    options.effort = 1;
    const PlaceResult result = place(problem, options);
    REQUIRE(result.placement.has_value() == bound.has_value());
    if (!bound) continue;
    CHECK(*bound == result.score.time);
    slower += *bound > *whole ? 1 : 0;
  }
  CHECK(slower > 3);
}

TEST_CASE("thousands of clear rectangles bound the time of what fits none but the largest") {
  // Of 3k x (c + 1) tiles, c up to 3 and k up to 2: on 3x3 the largest is c = 2, k = 1. A
  // chessboard of such blocks leaves 4,705 clear ones.
  ProblemData data = test::problem_data({test::dense(3, 2)}, {}, Wafer{291, 291});
  for (std::int64_t y = 0; y < 97; ++y) {
    for (std::int64_t x = y % 2; x < 97; x += 2) data.wafer.dead.push_back({3 * x, 3 * y, 3, 3});
  }
  const Problem problem(data);
  Execution largest;
  largest.c[0] = 2;
  largest.k[0] = 1;
  CHECK(bound_on_time(problem) ==
        compute_time(problem.kernel(0), largest, problem.time_denominator()));
}

}  // namespace
}  // namespace waferloom::placer
