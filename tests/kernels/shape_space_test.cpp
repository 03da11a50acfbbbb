#include "kernels/shape_space.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/kernels/brute_force.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

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
    const ShapeSpace space(
        kernel,
        {.memory = memory_limit, .largest_side = largest_side, .time_denominator = kDenominator});
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

TEST_CASE("with room for buffers a space answers like brute force") {
  const std::uint64_t seed = 271828;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  constexpr std::int64_t kDenominator = 36;
  std::size_t shapes = 0;
  std::size_t changed = 0;
  for (int round = 0; round < 200; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(test::tiny_formal(random));
    const std::int64_t own = memory_words(kernel, random.execution(kernel));
    const std::int64_t side = random.between(2, 60);
    KernelLimits limits{0, kDenominator, own + 1};
    limits.buffers = {random.between(1, 1500), random.between(1, own + 20)};
    const ShapeSpace space(kernel, {.memory = limits.memory_words,
                                    .largest_side = side,
                                    .time_denominator = kDenominator,
                                    .buffers = limits.buffers});
    for (int cap = 0; cap < 3; ++cap) {
      limits.time = compute_time(kernel, random.execution(kernel), kDenominator);
      INFO("time ", limits.time);
      const std::vector<Shape> front = space.front(limits.time);
      CHECK(test::sizes(front) == test::slow_front(kernel, limits, side));
      CHECK(test::sizes(shape_front(kernel, limits, side)) == test::sizes(front));
      for (const Shape& shape : front) {
        CHECK(has_room(kernel, shape.execution, limits.buffers));
        CHECK(extent(kernel, shape.execution) == shape.size);
      }
      shapes += front.size();
      KernelLimits without = limits;
      without.buffers = {};
      changed += test::sizes(front) == test::slow_front(kernel, without, side) ? 0 : 1;
    }
  }
  CHECK(shapes > 300);
  CHECK(changed > 100);
}

/// Height → least width over all (h, w, rows), by the formulas for one cut.
std::vector<Extent> front_of_all_cuts(const Kernel& kernel, const KernelLimits& limits,
                                      std::int64_t side) {
  test::WidthByHeight best;
  for (std::int64_t h = 1; h <= kernel.height; ++h) {
    for (std::int64_t w = 1; w <= kernel.width; ++w) {
      for (std::int64_t rows = 2; h * w * rows <= side; ++rows) {
        std::int64_t width = 0;
        bool possible = true;
        for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
          const Convolution& conv = kernel.convolutions[i];
          const std::int64_t k =
              least_k(conv, ImageSplit{h, w, std::min(rows - 1, conv.in4 / 4)}, limits);
          possible = possible && k > 0;
          width += 3 * k;
        }
        if (!possible || width > side) continue;
        const auto [held, inserted] = best.emplace(h * w * rows, width);
        if (!inserted) held->second = std::min(held->second, width);
      }
    }
  }
  std::vector<Extent> front;
  for (const auto& [height, width] : best) {
    if (front.empty() || width < front.back().width) front.push_back(Extent{width, height});
  }
  return front;
}

TEST_CASE("leaving out cuts between two changes loses no shape of a wide wafer") {
  const KernelFormal formals[] = {DblockFormal{28, 20, 256}, CblockFormal{14, 30, 96},
                                  ConvFormal{40, 60, 5, 3, 100, 37, 2, 1}};
  constexpr std::int64_t kSide = 1500;
  for (const KernelFormal& formal : formals) {
    INFO(type_name(formal));
    const Kernel kernel = make_kernel(formal);
    for (const std::int64_t memory : {300, 3000, 1'000'000}) {
      INFO("memory ", memory);
      const ShapeSpace space(kernel,
                             {.memory = memory, .largest_side = kSide, .time_denominator = 4});
      auto time = static_cast<std::int64_t>(sequential_time(kernel, 4));
      std::size_t shapes = 0;
      for (; time > 0; time /= 7) {
        const std::vector<Shape> front = space.front(time);
        CHECK(test::sizes(front) == front_of_all_cuts(kernel, {time, 4, memory}, kSide));
        shapes += front.size();
      }
      CHECK(shapes > 30);
    }
  }
}

TEST_CASE("a space is complete unless it was stopped, which it asks again and again") {
  const Kernel kernel = make_kernel(DblockFormal{28, 28, 256});
  std::int64_t asked = 0;
  const ShapeSpace whole(kernel, {.memory = 24'576, .largest_side = 633, .time_denominator = 4},
                         [&] { return ++asked < 0; });
  CHECK(whole.complete());
  CHECK(asked > 28);
  for (const std::int64_t at : {std::int64_t{1}, asked / 2, asked}) {
    std::int64_t again = 0;
    const ShapeSpace cut(kernel, {.memory = 24'576, .largest_side = 633, .time_denominator = 4},
                         [&] { return ++again >= at; });
    CHECK_FALSE(cut.complete());
    CHECK(again == at);
  }
}

TEST_CASE("only cuts that win somewhere are kept") {
  // One pixel, two features in and out; c = 1 and c = 2 each win at some cap.
  const Kernel kernel = make_kernel(ConvFormal{1, 1, 1, 1, 2, 2, 1, 1});
  const ShapeSpace space(kernel, {.memory = 1000, .largest_side = 20, .time_denominator = 1});
  CHECK(space.size() == 2);
  CHECK(space.front(0).empty());
  CHECK(space.front(4).size() == 1);
  CHECK(space.front(2).size() == 2);
}

TEST_CASE("a space without room or memory is empty") {
  const Kernel kernel = make_kernel(ConvFormal{1, 1, 1, 1, 2, 2, 1, 1});
  CHECK(ShapeSpace(kernel, {.memory = 1000, .largest_side = 1, .time_denominator = 1}).size() ==
        0);  // a shape is 2 tiles high
  CHECK(ShapeSpace(kernel, {.memory = 1, .largest_side = 20, .time_denominator = 1}).size() ==
        0);  // 2/c·2/k + 2/k is at least 2
  CHECK(ShapeSpace(kernel, {.memory = 1000, .largest_side = 2, .time_denominator = 1})
            .front(4)
            .empty());  // and 3 wide
}

TEST_CASE("a block of fewer than four features has no shape") {
  const Kernel kernel = make_kernel(CblockFormal{4, 4, 2});
  CHECK(ShapeSpace(kernel, {.memory = 24'576, .largest_side = 633, .time_denominator = 4}).size() ==
        0);
}

}  // namespace
}  // namespace waferloom
