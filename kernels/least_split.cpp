#include "kernels/least_split.h"

#include <algorithm>

#include "kernels/quarters.h"

namespace waferloom {
namespace {

/// Quarters of a word, of h, w and a feature together.
constexpr Int128 kCubed = Int128(kQuarters) * kQuarters * kQuarters;

/// ⌈H/h⌉·⌈W/w⌉·R·S·q/(T·U): time of one pair of features.
std::int64_t image_time(const Convolution& conv, std::int64_t h, std::int64_t w,
                        std::int64_t time_denominator) {
  return ceil_div(conv.height4, kQuarters * h) * ceil_div(conv.width4, kQuarters * w) *
         conv.field_height * conv.field_width * (time_denominator / conv.stride_area);
}

/// (W+S−1)·(H+R−1) in sixteenths of a word.
Int128 halo16(const Convolution& conv) {
  return Int128(conv.width4 + kQuarters * (conv.field_width - 1)) *
         (conv.height4 + kQuarters * (conv.field_height - 1));
}

/// ⌊numerator/denominator⌋ + 1, the smallest k with numerator/(denominator·k) < 1, saturated at
/// kMaxParameter + 1. Both positive. A floating-point estimate decides unless it is too close to a
/// whole number to be trusted; 128-bit divisions are ten times slower.
std::int64_t least_above(Int128 numerator, Int128 denominator) {
  constexpr double kTrusted = 1e-9;  // 10⁶ times the relative error of the estimate
  const double estimate = static_cast<double>(numerator) / static_cast<double>(denominator);
  if (estimate > 2.0 * static_cast<double>(kMaxParameter)) return kMaxParameter + 1;
  const auto whole = static_cast<std::int64_t>(estimate);
  const double fraction = estimate - static_cast<double>(whole);
  const double margin = kTrusted * (estimate + 1.0);
  if (fraction > margin && fraction < 1.0 - margin) return whole + 1;
  return static_cast<std::int64_t>(numerator / denominator) + 1;
}

}  // namespace

std::int64_t round_time(const Convolution& conv, const ImageSplit& split,
                        std::int64_t time_denominator) {
  return image_time(conv, split.h, split.w, time_denominator) *
         ceil_div(conv.in4, kQuarters * split.c);
}

std::int64_t least_cut(std::int64_t size4, RoundLimit most) {
  const std::int64_t rounds = most.rounds;
  if (rounds < 1) return size4 / kQuarters + 1;
  return rounds > size4 / kQuarters ? 1 : ceil_div(size4, kQuarters * rounds);
}

std::int64_t least_k(const Convolution& conv, const ImageSplit& split, const KernelLimits& limits) {
  const std::int64_t largest = conv.out4 / kQuarters;
  const std::int64_t once = round_time(conv, split, limits.time_denominator);
  const std::int64_t rounds = limits.time / once;  // ⌈K/k⌉ may be at most this
  if (rounds < 1 || largest < 1) return 0;
  const std::int64_t for_time = least_cut(conv.out4, {rounds});
  if (for_time > largest) return 0;
  // floor(memory) ≤ M  ⇔  numerator/(denominator·k) < M + 1
  const Int128 image = Int128(split.h) * split.w;
  const Int128 numerator =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width * image +
      halo16(conv) * conv.out4 * split.c;
  const Int128 denominator = Int128(limits.memory_words + 1) * kCubed * image * split.c;
  const std::int64_t k = std::max(for_time, least_above(numerator, denominator));
  return k > largest ? 0 : k;
}

std::int64_t least_c(const Convolution& conv, const FeatureSplit& split,
                     const KernelLimits& limits) {
  const std::int64_t largest = conv.in4 / kQuarters;
  const std::int64_t once = image_time(conv, split.h, split.w, limits.time_denominator) *
                            ceil_div(conv.out4, kQuarters * split.k);
  const std::int64_t rounds = limits.time / once;  // ⌈C/c⌉ may be at most this
  if (rounds < 1 || largest < 1) return 0;
  const std::int64_t for_time = least_cut(conv.in4, {rounds});
  if (for_time > largest) return 0;
  // weights/c + image < M + 1, all over 64·h·w·k
  const Int128 image = Int128(split.h) * split.w;
  const Int128 weights =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width * image;
  const Int128 room =
      Int128(limits.memory_words + 1) * kCubed * image * split.k - halo16(conv) * conv.out4;
  if (room <= 0) return 0;
  const std::int64_t c = std::max(for_time, least_above(weights, room));
  return c > largest ? 0 : c;
}

std::vector<std::int64_t> distinct_cuts(std::int64_t size) {
  std::vector<std::int64_t> cuts;
  for (std::int64_t cut = 1; cut <= size;) {
    cuts.push_back(cut);
    const std::int64_t parts = ceil_div(size, cut);
    if (parts == 1) break;
    cut = ceil_div(size, parts - 1);  // the smallest cut with fewer parts
  }
  return cuts;
}

}  // namespace waferloom
