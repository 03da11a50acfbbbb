#include "placer/starts/slicing_dp.h"

#include <doctest/doctest.h>

#include <atomic>
#include <optional>

#include "placer/annealing/curve_annealer.h"
#include "placer/annealing/curve_arithmetic.h"
#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

/// Whether kernels first … last of the order can be sliced into width × height, by recursion over
/// all trees and all ways to divide the room.
bool sliceable(const ShapeLibrary& library, const ShapesAtTime& shapes, std::size_t first,
               std::size_t last, const Extent& room) {
  if (first == last) {
    return fit(shapes.fronts[library.type_of(first)], room).has_value();
  }
  for (std::size_t middle = first; middle < last; ++middle) {
    for (std::int64_t w = 1; w < room.width; ++w) {
      if (sliceable(library, shapes, first, middle, {w, room.height}) &&
          sliceable(library, shapes, middle + 1, last, {room.width - w, room.height})) {
        return true;
      }
    }
    for (std::int64_t h = 1; h < room.height; ++h) {
      if (sliceable(library, shapes, first, middle, {room.width, h}) &&
          sliceable(library, shapes, middle + 1, last, {room.width, room.height - h})) {
        return true;
      }
    }
  }
  return false;
}

TEST_CASE("the DP finds a slicing exactly when one exists") {
  const std::uint64_t seed = 3;
  INFO("seed ", seed);
  test::Draw draw(seed);
  int found = 0;
  int missing = 0;
  for (int round = 0; round < 60; ++round) {
    INFO("round ", round);
    std::vector<KernelFormal> formals;
    for (int i = 0; i < 3; ++i) {
      formals.push_back(test::dense(draw.between(1, 3), draw.between(1, 3)));
    }
    const Wafer wafer{draw.between(5, 10), draw.between(5, 10)};
    const Problem problem(test::problem_data(formals, test::chain(3), wafer));
    const ShapeLibrary library(problem);
    const ShapesAtTime shapes = library.at(draw.between(1, 4));
    const std::vector<KernelIndex> order{0, 1, 2};
    const auto tree = slicing_dp(library, shapes, order);
    const bool possible = sliceable(library, shapes, 0, 2, {wafer.width, wafer.height});
    CHECK(tree.has_value() == possible);
    if (!tree) {
      ++missing;
      continue;
    }
    ++found;
    CHECK_NOTHROW(tree->check());
    const auto placement = lay_out(library, shapes, *tree);
    REQUIRE(placement.has_value());
    CHECK(test::violations(problem, *placement) == 0);
    CHECK(score(problem, *placement).time <= shapes.time);
  }
  CHECK(found > 5);
  CHECK(missing > 5);
}

TEST_CASE("the DP gives up when it is stopped") {
  const Problem problem = test::medium_problem(6, Weights{}, 9);
  const ShapeLibrary library(problem);
  const ShapesAtTime shapes = library.at(test::roomy_time(library));
  const std::vector<KernelIndex> order{0, 1, 2, 3, 4, 5};
  CHECK(slicing_dp(library, shapes, order).has_value());
  std::atomic<bool> raised{true};
  CHECK_FALSE(slicing_dp(library, shapes, order, RunControl{.stop = &raised}).has_value());
}

TEST_CASE("the DP leaves alone what would take too much memory") {
  // n·(n + 1)/2 curves of 1024 sides of 2 bytes: 2^28 bytes are 131'072 curves.
  const auto room_for = [](std::size_t kernels) {
    const Problem problem(test::problem_data(std::vector<KernelFormal>(kernels, test::dense(1, 1)),
                                             {}, Wafer{1023, 1023}));
    return slicing_dp_has_room(ShapeLibrary(problem));
  };
  CHECK(room_for(1));
  CHECK(room_for(511));  // 130'816 curves
  CHECK_FALSE(room_for(512));
}

}  // namespace
}  // namespace waferloom::placer
