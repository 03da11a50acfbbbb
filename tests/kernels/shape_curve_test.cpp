#include "kernels/shape_curve.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/kernels/brute_force.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {

TEST_CASE("the front of a small convolution by hand") {
  // One pixel, two features in and out: c, k ∈ {1, 2}; time ceil(2/c)·ceil(2/k).
  const Kernel kernel = make_kernel(ConvFormal{1, 1, 1, 1, 2, 2, 1, 1});
  const auto front_at = [&](std::int64_t time) {
    return test::sizes(shape_front(kernel, KernelLimits{time, 1, 1000}, 20));
  };
  CHECK(front_at(4) == std::vector<Extent>{{3, 2}});          // c = k = 1
  CHECK(front_at(2) == std::vector<Extent>{{6, 2}, {3, 3}});  // c = 1, k = 2 or c = 2, k = 1
  CHECK(front_at(1) == std::vector<Extent>{{6, 3}});
  CHECK(front_at(0).empty());
  // Words: 2/c·2/k + 2/k, the least 2 at c = k = 2.
  CHECK(test::sizes(shape_front(kernel, KernelLimits{4, 1, 2}, 20)) == std::vector<Extent>{{6, 3}});
  CHECK(shape_front(kernel, KernelLimits{4, 1, 1}, 20).empty());
  CHECK(test::sizes(shape_front(kernel, KernelLimits{2, 1, 1000}, 5)) ==
        std::vector<Extent>{{3, 3}});
}

TEST_CASE("fractional features past their last whole cut end the enumeration") {
  // F/4 = 2.5: the last c of 2 still leaves two parts.
  const Kernel kernel = make_kernel(DblockFormal{1, 1, 10});
  const KernelLimits limits{compute_time(kernel, Execution{1, 1, {9, 2, 2}, {2, 2, 10}}, 1), 1,
                            1000};
  CHECK(test::sizes(shape_front(kernel, limits, 60)) == test::slow_front(kernel, limits, 60));
}

TEST_CASE("fronts equal brute force over all executions") {
  const std::uint64_t seed = 31337;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::size_t shapes = 0;
  for (int round = 0; round < 1000; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(test::tiny_formal(random));
    const Execution some = random.execution(kernel);
    const KernelLimits limits{
        std::max<std::int64_t>(1, compute_time(kernel, some, 36) + random.between(-1, 1)), 36,
        std::max<std::int64_t>(1, memory_words(kernel, some) + random.between(-1, 1))};
    const std::int64_t largest_side = random.between(2, 60);
    const std::vector<Shape> front = shape_front(kernel, limits, largest_side);
    CHECK(test::sizes(front) == test::slow_front(kernel, limits, largest_side));
    for (const Shape& shape : front) {
      CHECK(within_limits(kernel, shape.execution));
      CHECK(extent(kernel, shape.execution) == shape.size);
      CHECK(compute_time(kernel, shape.execution, 36) <= limits.time);
      CHECK(memory_words(kernel, shape.execution) <= limits.memory_words);
    }
    shapes += front.size();
  }
  CHECK(shapes > 1000);
}

TEST_CASE("a curve is the smallest other side, rotated or not") {
  const std::vector<Shape> front{Shape{Extent{9, 2}, {}}, Shape{Extent{6, 4}, {}},
                                 Shape{Extent{3, 8}, {}}};
  const ShapeCurve curve(front, 10);
  const std::vector<Side> expected{kUnreachable, kUnreachable, 9, 8, 6, 6, 4, 4, 3, 2, 2};
  CHECK(curve.values() == expected);
  for (std::int64_t side = 0; side <= 10; ++side) {
    CHECK(curve(side) == expected[static_cast<std::size_t>(side)]);
  }
  CHECK(curve.least_area() == 18);
  CHECK(curve.least_thin_side() == 2);
  CHECK_FALSE(curve.empty());
}

TEST_CASE("a curve is its own inverse") {
  const std::uint64_t seed = 99;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 100; ++round) {
    const Kernel kernel = make_kernel(random.any(8));
    const KernelLimits limits{compute_time(kernel, random.execution(kernel), 36), 36, 5000};
    constexpr std::int64_t kSide = 40;
    const ShapeCurve curve(shape_front(kernel, limits, kSide), kSide);
    for (std::int64_t x = 1; x <= kSide; ++x) {
      CHECK(curve(x) <= curve(x - 1));
      for (std::int64_t y = 1; y <= kSide; ++y) CHECK((curve(x) <= y) == (curve(y) <= x));
    }
  }
}

TEST_CASE("a kernel without shapes has an empty curve") {
  const ShapeCurve curve({}, 5);
  CHECK(curve.empty());
  CHECK(curve.least_area() == 0);
  CHECK(curve.least_thin_side() == 0);
  CHECK(curve.values() == std::vector<Side>(6, kUnreachable));
}

TEST_CASE("fit takes the smallest area that the box holds") {
  const std::vector<Shape> front{Shape{Extent{9, 2}, {}}, Shape{Extent{6, 4}, {}},
                                 Shape{Extent{4, 5}, {}}};
  CHECK_FALSE(fit(front, Extent{3, 8}).has_value());
  const auto upright = fit(front, Extent{9, 4});
  REQUIRE(upright.has_value());
  CHECK(upright->shape.size == Extent{9, 2});
  CHECK_FALSE(upright->rotated);
  const auto turned = fit(front, Extent{2, 9});
  REQUIRE(turned.has_value());
  CHECK(turned->shape.size == Extent{9, 2});
  CHECK(turned->rotated);
  const auto square = fit(front, Extent{6, 6});
  REQUIRE(square.has_value());
  CHECK(square->shape.size == Extent{4, 5});
  CHECK_FALSE(square->rotated);
  const auto narrow = fit(front, Extent{5, 4});
  REQUIRE(narrow.has_value());
  CHECK(narrow->shape.size == Extent{4, 5});
  CHECK(narrow->rotated);
}

}  // namespace waferloom
