#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "tests/support/small_problems.h"

namespace waferloom {
namespace {

using Samples = std::vector<std::int64_t>;

/// k1 → k2 → k3 → k4 and k1 → k4, with tensors of 10, 20, 30 and 40 words.
Problem skipping() {
  ProblemData data =
      test::problem_data(std::vector<KernelFormal>(4, test::kPixel), test::chain(4), Wafer{40, 40});
  data.connections.push_back(Connection{0, 3, {}});
  std::int64_t words = 10;
  for (Connection& edge : data.connections) {
    edge.tensor = TensorShape{1, words / 10, 10};
    words += 10;
  }
  return Problem(std::move(data));
}

TEST_CASE("depths are longest paths, whatever the order of kernels") {
  CHECK(kernel_depths(skipping()) == Samples{0, 1, 2, 3});
  const Problem backwards(
      test::problem_data(std::vector<KernelFormal>(3, test::kPixel), {{2, 1}, {1, 0}, {2, 0}}));
  CHECK(kernel_depths(backwards) == Samples{2, 1, 0});
  const Problem cycle(
      test::problem_data(std::vector<KernelFormal>(2, test::kPixel), {{0, 1}, {1, 0}}));
  CHECK(kernel_depths(cycle).empty());
}

TEST_CASE("an edge that passes by kernels holds more samples in proportion, rounded up") {
  CHECK(buffered_samples(skipping(), decimal6(0)) == Samples{0, 0, 0, 0});
  CHECK(buffered_samples(skipping(), decimal6(1)) == Samples{1, 1, 1, 2});
  CHECK(buffered_samples(skipping(), decimal6(2)) == Samples{2, 2, 2, 4});
  CHECK(buffered_samples(skipping(), Decimal6{2'000'001}) == Samples{3, 3, 3, 5});
  CHECK(buffered_samples(skipping(), Decimal6{2'500'000}) == Samples{3, 3, 3, 5});
}

TEST_CASE("buffers wait at their edges' consumers") {
  const Problem problem = with_buffers(skipping(), {decimal6(2)});
  CHECK(problem.buffers().samples == decimal6(2));
  CHECK(problem.buffer_room(0) == BufferRoom{0, 24'576});
  CHECK(problem.buffer_room(1) == BufferRoom{20, 24'576});
  CHECK(problem.buffer_room(2) == BufferRoom{40, 24'576});
  CHECK(problem.buffer_room(3) == BufferRoom{60 + 160, 24'576});
  CHECK(with_buffers(skipping(), {decimal6(2), 1000}).buffer_room(3) == BufferRoom{220, 1000});
  CHECK(with_buffers(problem, {}).buffer_room(3).words == 0);  // and taken back
}

TEST_CASE("more than 10^18 words of buffers are refused with the kernel's name") {
  ProblemData data = skipping().data();
  data.connections[1].tensor = TensorShape{100'000, 100'000, 100};
  const Problem problem(std::move(data));
  CHECK_NOTHROW(with_buffers(problem, {decimal6(999'999)}));
  CHECK_THROWS_WITH_AS(with_buffers(problem, {Decimal6{1'000'000'000'001}}),
                       "the buffers of kernel k3 have more than 10^18 words", RequestError);
}

TEST_CASE("a placement has room or not, and its fullest tiles are told") {
  // kPixel under c = 8, k = 1 lies on 3 × 9 tiles, of 8 · 8 / 8 + 8 = 16 words each.
  Placement placement;
  for (std::int64_t i = 0; i < 4; ++i) {
    placement.kernels.push_back({Execution{1, 1, {8}, {1}}, 3 * i, 0, false});
  }
  // k4 holds 220 words on 27 tiles: 9 each.
  CHECK(has_buffer_room(with_buffers(skipping(), {decimal6(2), 25}), placement));
  CHECK_FALSE(has_buffer_room(with_buffers(skipping(), {decimal6(2), 24}), placement));
  CHECK(has_buffer_room(skipping(), placement));
  const BufferUse use = buffer_use(with_buffers(skipping(), {decimal6(2), 100}), placement);
  CHECK(use.words == 20 + 40 + 220);
  CHECK(use.most_of_tile == 25);
  CHECK(use.fullest == 3);
  CHECK(use.limit == 100);
}

}  // namespace
}  // namespace waferloom
