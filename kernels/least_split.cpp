#include "kernels/least_split.h"

namespace waferloom {
namespace {

constexpr std::int64_t kQuarters = 4;

std::int64_t ceil_div(std::int64_t numerator, std::int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

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

}  // namespace

std::int64_t least_k(const Convolution& conv, const ImageSplit& split, const KernelLimits& limits) {
  const std::int64_t largest = conv.out4 / kQuarters;
  const std::int64_t once = image_time(conv, split.h, split.w, limits.time_denominator) *
                            ceil_div(conv.in4, kQuarters * split.c);
  const std::int64_t rounds = limits.time / once;  // ⌈K/k⌉ may be at most this
  if (rounds < 1 || largest < 1) return 0;
  const std::int64_t for_time = rounds >= largest ? 1 : ceil_div(conv.out4, kQuarters * rounds);
  // floor(memory) ≤ M  ⇔  numerator/(denominator·k) < M + 1
  const Int128 image = Int128(split.h) * split.w;
  const Int128 numerator =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width * image +
      halo16(conv) * conv.out4 * split.c;
  const Int128 denominator =
      Int128(limits.memory_words + 1) * (kQuarters * kQuarters * kQuarters) * image * split.c;
  const Int128 for_memory = numerator / denominator + 1;
  if (for_memory > largest) return 0;
  const auto k = for_memory > for_time ? static_cast<std::int64_t>(for_memory) : for_time;
  return k > largest ? 0 : k;
}

std::int64_t least_c(const Convolution& conv, const FeatureSplit& split,
                     const KernelLimits& limits) {
  const std::int64_t largest = conv.in4 / kQuarters;
  const std::int64_t once = image_time(conv, split.h, split.w, limits.time_denominator) *
                            ceil_div(conv.out4, kQuarters * split.k);
  const std::int64_t rounds = limits.time / once;  // ⌈C/c⌉ may be at most this
  if (rounds < 1 || largest < 1) return 0;
  const std::int64_t for_time = rounds >= largest ? 1 : ceil_div(conv.in4, kQuarters * rounds);
  // weights/c + image < M + 1, all over 64·h·w·k
  const Int128 image = Int128(split.h) * split.w;
  const Int128 weights =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width * image;
  const Int128 room =
      Int128(limits.memory_words + 1) * (kQuarters * kQuarters * kQuarters) * image * split.k -
      halo16(conv) * conv.out4;
  if (room <= 0) return 0;
  const Int128 for_memory = weights / room + 1;
  if (for_memory > largest) return 0;
  const auto c = for_memory > for_time ? static_cast<std::int64_t>(for_memory) : for_time;
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
