#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "kernels/kernel.h"
#include "kernels/shape_space.h"
#include "tests/kernels/brute_force.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

Kernel list_of(std::vector<ShapeOption> options) {
  return make_kernel(
      ShapesFormal{std::make_shared<const std::vector<ShapeOption>>(std::move(options))});
}

/// Two options: 12 × 30 tiles of 5000 units, 15 × 24 of 5100.5 with 128 words and a signature.
Kernel two_options() {
  return list_of({ShapeOption{12, 30, 5'000'000'000},
                  ShapeOption{15, 24, 5'100'500'000, 128, Signature{4, 5, 6, 6}}});
}

}  // namespace

TEST_CASE("an option says what a kernel costs") {
  const Kernel kernel = two_options();
  CHECK(type_name(kernel.formal) == "shapes");
  CHECK(is_shape_list(kernel));
  CHECK(time_denominator(kernel) == 2);
  CHECK(extent(kernel, option_execution(1)) == Extent{12, 30});
  CHECK(compute_time(kernel, option_execution(1), 2) == 10'000);
  CHECK(compute_time(kernel, option_execution(2), 4) == 20'402);
  CHECK(sequential_time(kernel, 4) == 20'402);
  CHECK(memory_words(kernel, option_execution(1)) == 0);
  CHECK(memory_words(kernel, option_execution(2)) == 128);
  CHECK_FALSE(signature(kernel, option_execution(1)).shown());
  CHECK(signature(kernel, option_execution(2)) == Signature{4, 5, 6, 6});
}

TEST_CASE("only an option of the list is within limits") {
  const Kernel kernel = two_options();
  CHECK(within_limits(kernel, option_execution(1)));
  CHECK(within_limits(kernel, option_execution(2)));
  CHECK_FALSE(within_limits(kernel, option_execution(0)));
  CHECK_FALSE(within_limits(kernel, option_execution(3)));
  CHECK_FALSE(within_limits(kernel, Execution{2, 1, {}, {}, 1}));
  const Kernel pixel = make_kernel(ConvFormal{});
  CHECK(within_limits(pixel, Execution{1, 1, {1}, {1}}));
  CHECK_FALSE(within_limits(pixel, Execution{1, 1, {1}, {1}, 1}));
}

TEST_CASE("no mismatch counts unless both ends show a signature") {
  const Signature shown{1, 2, 3, 4};
  CHECK(adapter_mismatches(shown, Signature{5, 6, 7, 8}) == 3);
  CHECK(adapter_mismatches(shown, kNoSignature) == 0);
  CHECK(adapter_mismatches(kNoSignature, shown) == 0);
}

TEST_CASE("equal lists are equal formal parameters, whoever holds them") {
  CHECK(two_options().formal == two_options().formal);
  CHECK(two_options().formal != list_of({ShapeOption{12, 30, 5'000'000'000}}).formal);
  CHECK(ShapesFormal{}.list().empty());
}

TEST_CASE("the space of a list answers every time cap like brute force") {
  const std::uint64_t seed = 577;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  std::size_t found = 0;
  for (int round = 0; round < 500; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(random.shapes(random.between(2, 30)));
    const std::int64_t denominator = time_denominator(kernel);
    const std::int64_t largest_side = random.between(1, 30);
    const std::int64_t memory = random.between(0, 600);
    const ShapeSpace space(
        kernel, {.memory = memory, .largest_side = largest_side, .time_denominator = denominator});
    for (int cap = 0; cap < 4; ++cap) {
      const std::int64_t time =
          compute_time(kernel, random.execution(kernel), denominator) + random.between(-1, 1);
      const std::vector<Shape> front = space.front(time);
      std::map<std::int64_t, std::int64_t> width_of;
      for (std::int64_t i = 1; i <= std::ssize(shape_options(kernel)); ++i) {
        const Execution execution = option_execution(i);
        const Extent size = extent(kernel, execution);
        if (compute_time(kernel, execution, denominator) > time) continue;
        if (memory_words(kernel, execution) > memory) continue;
        if (std::max(size.width, size.height) > largest_side) continue;
        const auto [held, inserted] = width_of.emplace(size.height, size.width);
        if (!inserted) held->second = std::min(held->second, size.width);
      }
      std::vector<Extent> expected;
      for (const auto& [height, width] : width_of) {
        if (expected.empty() || width < expected.back().width) expected.push_back({width, height});
      }
      CHECK(test::sizes(front) == expected);
      for (const Shape& shape : front) {
        CHECK(extent(kernel, shape.execution) == shape.size);
        CHECK(compute_time(kernel, shape.execution, denominator) <= time);
      }
      found += front.size();
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("a hundred thousand options make a space at once") {
  std::vector<ShapeOption> options;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    options.push_back(ShapeOption{1 + i % 317, 1 + (i * 7919) % 631, 1 + (i * 104'729) % 99'991});
  }
  const ShapeSpace space(list_of(std::move(options)),
                         {.memory = 1, .largest_side = 633, .time_denominator = 1'000'000});
  CHECK(space.front(99'991).size() >= 1);
}

}  // namespace waferloom
