#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "kernels/least_split.h"
#include "tests/kernels/brute_force.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

// 4 × 4 pixels, C = 2, K = 4, under h = w = c = 1: 2 rows of tiles, 3k columns, and
// ⌊(2 · 4 + 4 · 4 · 4) / k⌋ = ⌊72 / k⌋ words a tile.
const Kernel kSmall = make_kernel(ConvFormal{4, 4, 1, 1, 2, 4, 1, 1});
const Execution kCoarse{1, 1, {1}, {1}};

TEST_CASE("a tile holds its own words and its share of the buffers, rounded up") {
  CHECK(words_with_buffers(kSmall, kCoarse, 0) == 72);
  CHECK(words_with_buffers(kSmall, kCoarse, 96) == 72 + 16);  // 6 tiles
  CHECK(words_with_buffers(kSmall, kCoarse, 97) == 72 + 17);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(words_with_buffers(kSmall, kCoarse, kMost) == 72 + kMost / 6 + 1);
}

TEST_CASE("room is there up to what a tile holds, and nobody asks where nothing waits") {
  CHECK(has_room(kSmall, kCoarse, {97, 89}));
  CHECK_FALSE(has_room(kSmall, kCoarse, {97, 88}));
  CHECK(has_room(kSmall, kCoarse, {0, 0}));
}

TEST_CASE("room is made by the least k that is enough") {
  const auto k_for = [](std::int64_t of_tile) -> std::int64_t {
    Execution execution = kCoarse;
    if (!make_room(kSmall, execution, {97, of_tile})) {
      CHECK(execution == kCoarse);
      return 0;
    }
    CHECK(execution.c == kCoarse.c);
    return execution.k[0];
  };
  CHECK(k_for(89) == 1);
  CHECK(k_for(88) == 2);  // 36 words and a share of 97 over 12 tiles, 9
  CHECK(k_for(36 + 9) == 2);
  CHECK(k_for(36 + 8) == 3);  // 24 + ⌈97 / 18⌉
  CHECK(k_for(24 + 6) == 3);
  CHECK(k_for(24 + 5) == 4);  // 18 + ⌈97 / 24⌉
  CHECK(k_for(18 + 5) == 4);
  CHECK(k_for(18 + 4) == 0);
}

TEST_CASE("room is made within so many columns or not at all") {
  Execution execution = kCoarse;
  CHECK_FALSE(make_room(kSmall, execution, {97, 44}, 8));  // k = 3 is 9 columns
  CHECK(execution == kCoarse);
  CHECK(make_room(kSmall, execution, {97, 44}, 9));
  CHECK(execution.k[0] == 3);
}

TEST_CASE("what has room keeps its k") {
  Execution execution{1, 1, {1}, {3}};
  CHECK(make_room(kSmall, execution, {97, 89}));
  CHECK(execution.k[0] == 3);
}

/// The least Σk ≥ that of `from`, no k below its own, with which the kernel has the room; by trial.
std::optional<std::int64_t> slow_k_sum(const Kernel& kernel, const Execution& from,
                                       const BufferRoom& room, std::size_t at = 0) {
  if (at == convolution_total(kernel)) {
    if (!has_room(kernel, from, room)) return std::nullopt;
    std::int64_t sum = 0;
    for (const std::int64_t k : from.k) sum += k;
    return sum;
  }
  std::optional<std::int64_t> least;
  Execution execution = from;
  for (; execution.k.at(at) <= kernel.convolutions.at(at).out4 / 4; ++execution.k.at(at)) {
    const auto sum = slow_k_sum(kernel, execution, room, at + 1);
    if (sum && (!least || *sum < *least)) least = sum;
  }
  return least;
}

TEST_CASE("room is made as trying every k makes it") {
  const std::uint64_t seed = 1729;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  int grown = 0;
  int in_vain = 0;
  for (int round = 0; round < 2000; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(test::tiny_formal(random));
    const Execution from = random.execution(kernel);
    const std::int64_t own = memory_words(kernel, from);
    const BufferRoom room{random.between(1, 2000), random.between(1, 2 * own + 10)};
    Execution made = from;
    const bool is_made = make_room(kernel, made, room);
    const auto slow = slow_k_sum(kernel, from, room);
    CHECK(is_made == slow.has_value());
    if (!is_made || !slow) {
      CHECK(made == from);
      ++in_vain;
      continue;
    }
    CHECK(within_limits(kernel, made));
    CHECK(has_room(kernel, made, room));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      CHECK(made.k.at(i) >= from.k.at(i));
      sum += made.k.at(i);
    }
    CHECK(sum == *slow);
    grown += made == from ? 0 : 1;
  }
  CHECK(grown > 50);
  CHECK(in_vain > 50);
}

}  // namespace
}  // namespace waferloom
