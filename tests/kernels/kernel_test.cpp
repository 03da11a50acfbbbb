#include "kernels/kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "tests/kernels/random_kernels.h"

namespace waferloom {
namespace {

/// A fraction for an independent reading of the formulas: small operands, no reduction.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
};
Fraction operator*(Fraction a, Fraction b) {
  return {a.numerator * b.numerator, a.denominator * b.denominator};
}
Fraction operator/(Fraction a, Fraction b) {
  return {a.numerator * b.denominator, a.denominator * b.numerator};
}
Fraction operator+(Fraction a, Fraction b) {
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}
Fraction whole(std::int64_t value) { return {value, 1}; }
std::int64_t floor(Fraction a) { return a.numerator / a.denominator; }
std::int64_t ceil(Fraction a) { return (a.numerator + a.denominator - 1) / a.denominator; }

/// conv(H,W,R,S,C,K,T) of the contest's rules.
struct RuleConv {
  Fraction height, width;
  std::int64_t r, s;
  Fraction in, out;
  std::int64_t stride_area;
};

std::vector<RuleConv> rule_convs(const KernelFormal& formal) {
  if (const auto* conv = std::get_if<ConvFormal>(&formal)) {
    return {{whole(conv->height), whole(conv->width), conv->field_height, conv->field_width,
             whole(conv->channels_in), whole(conv->channels_out), conv->stride_y * conv->stride_x}};
  }
  if (const auto* block = std::get_if<DblockFormal>(&formal)) {
    const Fraction h = whole(block->height), w = whole(block->width), f = whole(block->features);
    const Fraction quarter{block->features, 4};
    return {{h, w, 1, 1, f, quarter, 1},
            {h, w, 3, 3, quarter, quarter, 1},
            {h, w, 1, 1, quarter, f, 1}};
  }
  const auto& block = std::get<CblockFormal>(formal);
  const Fraction h = whole(block.height), w = whole(block.width), f = whole(block.features);
  const Fraction half{block.features, 2}, quarter{block.features, 4};
  return {{h, w, 1, 1, half, quarter, 1},
          {h, w, 3, 3, quarter, quarter, 4},
          {Fraction{block.height, 2}, Fraction{block.width, 2}, 1, 1, quarter, f, 1},
          {h, w, 1, 1, half, f, 4}};
}

/// Time in quarters·(T·U of a convolution) and words by the contest's formulas, term by term.
struct RuleCost {
  std::int64_t time = 0;
  std::int64_t words = 0;
};
RuleCost rule_cost(const KernelFormal& formal, const Execution& e, std::int64_t denominator) {
  RuleCost cost;
  std::size_t i = 0;
  for (const RuleConv& conv : rule_convs(formal)) {
    const Fraction c = whole(e.c[i]), k = whole(e.k[i]);
    const std::int64_t steps = ceil(conv.height / whole(e.h)) * ceil(conv.width / whole(e.w)) *
                               ceil(conv.in / c) * ceil(conv.out / k) * conv.r * conv.s;
    cost.time = std::max(cost.time, steps * denominator / conv.stride_area);
    const Fraction weights = conv.in / c * (conv.out / k) * whole(conv.r * conv.s);
    const Fraction image = (conv.width + whole(conv.s - 1)) / whole(e.w) *
                           ((conv.height + whole(conv.r - 1)) / whole(e.h)) * (conv.out / k);
    cost.words = std::max(cost.words, floor(weights + image));
    ++i;
  }
  return cost;
}

}  // namespace

TEST_CASE("a convolution's extent, time and memory follow the formulas") {
  const Kernel kernel = make_kernel(ConvFormal{14, 14, 3, 3, 512, 512, 2, 2});
  const Execution execution{4, 7, {16}, {10}};
  REQUIRE(within_limits(kernel, execution));
  CHECK(extent(kernel, execution) == Extent{30, 476});  // 3·10 × 4·7·17
  // ceil(14/4)·ceil(14/7)·ceil(512/16)·ceil(512/10)·9 / 4 = 4·2·32·52·9 / 4
  CHECK(time_denominator(kernel) == 4);
  CHECK(compute_time(kernel, execution, 4) == 4 * 2 * 32 * 52 * 9);
  CHECK(compute_time(kernel, execution, 36) == 9 * 4 * 2 * 32 * 52 * 9);
  // 32·51.2·9 + 16/7·16/4·51.2 = 14745.6 + 468.11…
  CHECK(memory_words(kernel, execution) == 15213);
}

TEST_CASE("the contest's example of two dblocks and a cblock") {
  const Kernel first = make_kernel(DblockFormal{56, 56, 256});
  const Execution cut{4, 4, {8, 8, 8}, {8, 64, 16}};
  CHECK(extent(first, cut) == Extent{264, 144});  // 3·(8 + 64 + 16) × 4·4·9
  // Every convolution: 14·14·32·8·1, 14·14·8·1·9, 14·14·8·16·1
  CHECK(compute_time(first, cut, 1) == 196 * 256);
  const Kernel second = make_kernel(CblockFormal{56, 56, 512});
  const Execution cut2{4, 4, {8, 8, 8, 8}, {32, 32, 8, 19}};
  CHECK(extent(second, cut2) == Extent{273, 144});  // 3·(32 + 32 + 8 + 19)
  // 14·14·32·4 = 25088; 14·14·16·4·9/4 = 28224; 7·7·16·64 = 50176; 14·14·32·27/4 = 42336
  CHECK(compute_time(second, cut2, 4) == 4 * 50176);
}

TEST_CASE("blocks keep halves and quarters of images and features exact") {
  const Kernel kernel = make_kernel(CblockFormal{5, 3, 6});  // F/4 = 1.5, F/2 = 3, H/2 = 2.5
  CHECK(within_limits(kernel, Execution{1, 1, {3, 1, 1, 3}, {1, 1, 6, 6}}));
  CHECK_FALSE(within_limits(kernel, Execution{1, 1, {3, 2, 1, 3}, {1, 1, 6, 6}}));
  CHECK_FALSE(within_limits(kernel, Execution{1, 1, {4, 1, 1, 3}, {1, 1, 6, 6}}));
  const Execution execution{1, 1, {3, 1, 1, 3}, {1, 1, 6, 6}};
  // 5·3·1·2 = 30; 5·3·2·2·9/4 = 135; ceil(2.5)·ceil(1.5)·2·1 = 12; 5·3·1·1/4
  CHECK(compute_time(kernel, execution, 4) == 4 * 135);
  // 1·1.5·1 + 3·5·1.5 = 24; 1.5·1.5·9 + 5·7·1.5 = 72.75; 1.5·1 + 1.5·2.5 = 5.25; 1 + 15
  CHECK(memory_words(kernel, execution) == 72);
}

TEST_CASE("a block of fewer than four features has no legal execution") {
  const Kernel kernel = make_kernel(CblockFormal{4, 4, 2});  // F/4 = 0.5
  CHECK_FALSE(within_limits(kernel, Execution{1, 1, {1, 1, 1, 1}, {1, 1, 1, 1}}));
  CHECK_FALSE(within_limits(kernel, Execution{1, 1, {1, 0, 0, 1}, {0, 0, 1, 1}}));
}

TEST_CASE("limits are inclusive and unused entries must be zero") {
  const Kernel kernel = make_kernel(ConvFormal{3, 4, 1, 1, 5, 6, 1, 1});
  CHECK(within_limits(kernel, Execution{3, 4, {5}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{4, 4, {5}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 5, {5}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {6}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {5}, {7}}));
  CHECK_FALSE(within_limits(kernel, Execution{0, 4, {5}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {5}, {0}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {-1}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {5, 1}, {6}}));
  CHECK_FALSE(within_limits(kernel, Execution{3, 4, {5}, {6, 0, 1}}));
}

TEST_CASE("time and memory equal the contest's formulas in plain fractions") {
  const std::uint64_t seed = 20200331;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 3000; ++round) {
    INFO("round ", round);
    const KernelFormal formal = random.any(9);
    const Kernel kernel = make_kernel(formal);
    const Execution execution = random.execution(kernel);
    REQUIRE(within_limits(kernel, execution));
    const std::int64_t denominator = 36;  // strides up to 3 × 3, blocks' 4
    REQUIRE(denominator % time_denominator(kernel) == 0);
    const RuleCost cost = rule_cost(formal, execution, denominator);
    CHECK(compute_time(kernel, execution, denominator) == cost.time);
    CHECK(memory_words(kernel, execution) == cost.words);
  }
}

TEST_CASE("no execution takes longer than the sequential one") {
  const std::uint64_t seed = 7;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 500; ++round) {
    const Kernel kernel = make_kernel(random.any(9));
    Execution single{1, 1, {}, {}};
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      single.c[i] = single.k[i] = 1;
    }
    CHECK(Int128(compute_time(kernel, single, 36)) == sequential_time(kernel, 36));
    CHECK(Int128(compute_time(kernel, random.execution(kernel), 36)) <=
          sequential_time(kernel, 36));
  }
}

TEST_CASE("the largest parameters overflow nothing") {
  constexpr std::int64_t kMost = kMaxParameter;
  const ConvFormal formal{kMost, kMost, kMost, kMost, kMost, kMost, 1, 1};
  const Kernel kernel = make_kernel(formal);
  CHECK(sequential_time(kernel, 1) >= Int128(1) << 62);
  CHECK(memory_words(kernel, Execution{1, 1, {1}, {1}}) ==
        std::numeric_limits<std::int64_t>::max());
  // C/c·K/k·R·S = 2^36, image (2^19−1)²/2^36 rounds to 3: 4 − 2^-16 + 2^-36
  CHECK(memory_words(kernel, Execution{kMost, kMost, {kMost}, {kMost}}) ==
        (std::int64_t{1} << 36) + 3);
}

TEST_CASE("adapters count the splits that differ between producer and consumer") {
  const Kernel conv = make_kernel(ConvFormal{8, 8, 1, 1, 8, 8, 1, 1});
  const Kernel dblock = make_kernel(DblockFormal{8, 8, 32});
  const Kernel cblock = make_kernel(CblockFormal{8, 8, 32});
  const Signature a = signature(conv, Execution{2, 3, {4}, {5}});
  CHECK(a == Signature{2, 3, 4, 4});
  const Signature b = signature(dblock, Execution{2, 3, {6, 7, 4}, {1, 1, 1}});
  CHECK(b == Signature{2, 3, 6, 4});
  const Signature c = signature(cblock, Execution{3, 2, {4, 5, 6, 7}, {1, 1, 1, 1}});
  CHECK(c == Signature{3, 2, 4, 6});  // c3 at the output, not the last
  CHECK(output_convolution(conv) == 0);
  CHECK(output_convolution(dblock) == 2);
  CHECK(output_convolution(cblock) == 2);
  CHECK(adapter_mismatches(a, a) == 0);
  CHECK(adapter_mismatches(a, b) == 1);  // 4 against the block's c1 = 6
  CHECK(adapter_mismatches(b, a) == 0);  // the block's c3 = 4 against 4
  CHECK(adapter_mismatches(b, c) == 2);  // h and w; c is 4 on both sides
  CHECK(adapter_mismatches(c, b) == 2);
  CHECK(adapter_mismatches(c, a) == 3);
}

TEST_CASE("kernel types are named as in the contest's files") {
  CHECK(type_name(ConvFormal{}) == "conv");
  CHECK(type_name(DblockFormal{}) == "dblock");
  CHECK(type_name(CblockFormal{}) == "cblock");
}

}  // namespace waferloom
