#include "kernels/least_split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

/// Time and memory of one convolution of a block alone, by the functions for whole kernels.
struct SingleConv {
  Kernel kernel;

  explicit SingleConv(const Convolution& conv) {
    kernel.height = (conv.height4 + 3) / 4;
    kernel.width = (conv.width4 + 3) / 4;
    kernel.convolution_count = 1;
    kernel.convolutions[0] = conv;
  }
  bool meets(const Execution& execution, const KernelLimits& limits) const {
    return compute_time(kernel, execution, limits.time_denominator) <= limits.time &&
           memory_words(kernel, execution) <= limits.memory_words;
  }
};

std::int64_t slow_least_k(const Convolution& conv, const ImageSplit& split,
                          const KernelLimits& limits) {
  const SingleConv single(conv);
  for (std::int64_t k = 1; k <= conv.out4 / 4; ++k) {
    if (single.meets(Execution{split.h, split.w, {split.c}, {k}}, limits)) return k;
  }
  return 0;
}

std::int64_t slow_least_c(const Convolution& conv, const FeatureSplit& split,
                          const KernelLimits& limits) {
  const SingleConv single(conv);
  for (std::int64_t c = 1; c <= conv.in4 / 4; ++c) {
    if (single.meets(Execution{split.h, split.w, {c}, {split.k}}, limits)) return c;
  }
  return 0;
}

/// Limits around what a random execution needs, so that both sides of each boundary are met.
KernelLimits limits_near(test::RandomKernels& random, const Kernel& kernel) {
  const Execution some = random.execution(kernel);
  const std::int64_t q = 36;
  return KernelLimits{
      std::max<std::int64_t>(0, compute_time(kernel, some, q) + random.between(-1, 1)), q,
      std::max<std::int64_t>(1, memory_words(kernel, some) + random.between(-1, 1))};
}

}  // namespace

TEST_CASE("least k meets time and memory at the boundary") {
  const Kernel kernel = make_kernel(ConvFormal{14, 14, 3, 3, 512, 512, 2, 2});
  const Convolution& conv = kernel.convolutions[0];
  const ImageSplit split{4, 7, 16};
  // k = 10: 4·2·32·52·9 quarters and 15213 words; k = 9 takes 57 rounds and more words.
  const std::int64_t time = 119'808;
  CHECK(least_k(conv, split, KernelLimits{time, 4, 15213}) == 10);
  CHECK(least_k(conv, split, KernelLimits{time - 1, 4, 15213}) == 11);
  CHECK(least_k(conv, split, KernelLimits{time, 4, 15212}) == 11);
  CHECK(least_k(conv, split, KernelLimits{4 * 2 * 32 * 9 - 1, 4, 24576}) == 0);
}

TEST_CASE("fractional features are rounded as the formulas round them") {
  const Kernel kernel = make_kernel(DblockFormal{1, 1, 10});  // F/4 = 2.5
  const Convolution& conv = kernel.convolutions[0];           // 10 → 2.5 features
  const KernelLimits two_rounds{2, 1, 1'000'000};
  // ceil(2.5/1) = 3 rounds, ceil(2.5/2) = 2 rounds.
  CHECK(least_k(conv, ImageSplit{1, 1, 10}, two_rounds) == 2);
  CHECK(least_k(conv, ImageSplit{1, 1, 10}, KernelLimits{1, 1, 1'000'000}) == 0);
  CHECK(least_k(conv, ImageSplit{1, 1, 10}, KernelLimits{3, 1, 1'000'000}) == 1);
  const Convolution& middle = kernel.convolutions[1];  // 2.5 → 2.5, field 3 × 3
  // 9·2·2 steps at c = k = 2
  CHECK(least_c(middle, FeatureSplit{1, 1, 2}, KernelLimits{36, 1, 1'000'000}) == 2);
  CHECK(least_c(middle, FeatureSplit{1, 1, 2}, KernelLimits{35, 1, 1'000'000}) == 0);
}

TEST_CASE("least k and least c equal a linear search") {
  const std::uint64_t seed = 1009;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  int possible = 0;
  for (int round = 0; round < 4000; ++round) {
    INFO("round ", round);
    const Kernel kernel = make_kernel(random.any(12));
    const KernelLimits limits = limits_near(random, kernel);
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      INFO("convolution ", i);
      const Convolution& conv = kernel.convolutions[i];
      // The single convolution of a halved image has fewer cuts.
      const std::int64_t h = random.between(1, (conv.height4 + 3) / 4);
      const std::int64_t w = random.between(1, (conv.width4 + 3) / 4);
      const ImageSplit image{h, w, random.between(1, conv.in4 / 4)};
      const FeatureSplit feature{h, w, random.between(1, conv.out4 / 4)};
      const std::int64_t k = least_k(conv, image, limits);
      const std::int64_t c = least_c(conv, feature, limits);
      CHECK(k == slow_least_k(conv, image, limits));
      CHECK(c == slow_least_c(conv, feature, limits));
      possible += int{k > 1} + int{c > 1};
    }
  }
  CHECK(possible > 1000);  // the limits decide often enough to mean something
}

TEST_CASE("least cuts are the smallest into so many parts") {
  for (std::int64_t size4 = 1; size4 <= 60; ++size4) {
    for (std::int64_t rounds = 1; rounds <= 20; ++rounds) {
      std::int64_t slow = 1;
      while ((size4 + 4 * slow - 1) / (4 * slow) > rounds) ++slow;
      CHECK(least_cut(size4, {rounds}) == slow);
    }
    CHECK(least_cut(size4, {0}) > size4 / 4);
  }
}

TEST_CASE("the time of a round is the compute time of k = K") {
  const Kernel kernel = make_kernel(ConvFormal{14, 13, 3, 2, 50, 7, 2, 1});
  CHECK(round_time(kernel.convolutions[0], ImageSplit{4, 5, 8}, 2) == 4 * 3 * 7 * 6);
  CHECK(round_time(kernel.convolutions[0], ImageSplit{4, 5, 8}, 2) ==
        compute_time(kernel, Execution{4, 5, {8}, {7}}, 2));
}

TEST_CASE("distinct cuts are the smallest of their classes") {
  CHECK(distinct_cuts(1) == std::vector<std::int64_t>{1});
  CHECK(distinct_cuts(7) == std::vector<std::int64_t>{1, 2, 3, 4, 7});
  for (std::int64_t size = 1; size <= 300; ++size) {
    std::vector<std::int64_t> slow;
    for (std::int64_t cut = 1; cut <= size; ++cut) {
      const auto parts = [size](std::int64_t by) { return (size + by - 1) / by; };
      if (cut == 1 || parts(cut) != parts(cut - 1)) slow.push_back(cut);
    }
    CHECK(distinct_cuts(size) == slow);
  }
}

TEST_CASE("limits of the largest size overflow nothing") {
  const Kernel kernel = make_kernel(
      ConvFormal{kMaxParameter, kMaxParameter, 1, 1, kMaxParameter, kMaxParameter, 1, 1});
  const Convolution& conv = kernel.convolutions[0];
  const KernelLimits loose{(std::int64_t{1} << 62) - 1, 1, 1'000'000'000'000};
  // 2^36 image steps: ⌈C/c⌉·⌈K/k⌉ must stay below 2^26; with c = 2^18, k = 1 it is 2^18.
  // Memory with h = w = 1: K/k + 2^36·2^18/k words, at most 10^12 for k ≥ 18014.66…
  CHECK(least_k(conv, ImageSplit{1, 1, kMaxParameter}, loose) == 18015);
  CHECK(least_c(conv, FeatureSplit{kMaxParameter, kMaxParameter, 1}, loose) == 1);
}

}  // namespace waferloom
