#include "kernels/shape_space.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/kernels/brute_force.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {

TEST_CASE("one space answers every time cap like brute force") {
  const std::uint64_t seed = 161803;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  constexpr std::int64_t kDenominator = 36;
  std::size_t shapes = 0;
  for (int round = 0; round < 250; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(test::tiny_formal(random));
    const std::int64_t memory_limit = std::max<std::int64_t>(
        1, memory_words(kernel, random.execution(kernel)) + random.between(-1, 1));
    const std::int64_t largest_side = random.between(2, 60);
    const ShapeSpace space(kernel, memory_limit, largest_side, kDenominator);
    for (int cap = 0; cap < 4; ++cap) {
      const std::int64_t time = std::max<std::int64_t>(
          0, compute_time(kernel, random.execution(kernel), kDenominator) + random.between(-1, 1));
      INFO("time ", time);
      const std::vector<Shape> front = space.front(time);
      CHECK(test::sizes(front) ==
            test::slow_front(kernel, KernelLimits{time, kDenominator, memory_limit}, largest_side));
      for (const Shape& shape : front) {
        CHECK(within_limits(kernel, shape.execution));
        CHECK(extent(kernel, shape.execution) == shape.size);
        CHECK(compute_time(kernel, shape.execution, kDenominator) <= time);
        CHECK(memory_words(kernel, shape.execution) <= memory_limit);
      }
      shapes += front.size();
    }
  }
  CHECK(shapes > 1000);
}

TEST_CASE("only cuts that win somewhere are kept") {
  // One pixel, two features in and out; c = 1 and c = 2 each win at some cap.
  const Kernel kernel = make_kernel(ConvFormal{1, 1, 1, 1, 2, 2, 1, 1});
  const ShapeSpace space(kernel, 1000, 20, 1);
  CHECK(space.size() == 2);
  CHECK(space.front(0).empty());
  CHECK(space.front(4).size() == 1);
  CHECK(space.front(2).size() == 2);
}

TEST_CASE("a space without room or memory is empty") {
  const Kernel kernel = make_kernel(ConvFormal{1, 1, 1, 1, 2, 2, 1, 1});
  CHECK(ShapeSpace(kernel, 1000, 1, 1).size() == 0);       // a shape is 2 tiles high
  CHECK(ShapeSpace(kernel, 1, 20, 1).size() == 0);         // 2/c·2/k + 2/k is at least 2
  CHECK(ShapeSpace(kernel, 1000, 2, 1).front(4).empty());  // and 3 wide
}

TEST_CASE("a block of fewer than four features has no shape") {
  const Kernel kernel = make_kernel(CblockFormal{4, 4, 2});
  CHECK(ShapeSpace(kernel, 24'576, 633, 4).size() == 0);
}

}  // namespace waferloom
