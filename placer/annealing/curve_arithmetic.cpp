#include "placer/annealing/curve_arithmetic.h"

#include <algorithm>
#include <cstring>

// The same loops once for any x86-64 and once for AVX2, chosen when the program is loaded. Not
// under sanitizers, whose run time is not yet there when that choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WAFERLOOM_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define WAFERLOOM_VECTOR_CLONES
#endif

namespace waferloom::placer {
namespace {

Side saturated(Side a, Side b) {
  // kUnreachable + kUnreachable fits a Side.
  return std::min(static_cast<Side>(a + b), kUnreachable);
}

}  // namespace

WAFERLOOM_VECTOR_CLONES
void add_curves(std::span<const Side> a, std::span<const Side> b, std::span<Side> result) {
  const Side* __restrict__ left = a.data();
  const Side* __restrict__ right = b.data();
  Side* __restrict__ sum = result.data();
  const std::size_t size = result.size();
  for (std::size_t x = 0; x < size; ++x) sum[x] = saturated(left[x], right[x]);
}

WAFERLOOM_VECTOR_CLONES
void lower_to_sum(std::span<const Side> a, std::span<const Side> b, std::span<Side> result) {
  const Side* __restrict__ left = a.data();
  const Side* __restrict__ right = b.data();
  Side* __restrict__ least = result.data();
  const std::size_t size = result.size();
  for (std::size_t x = 0; x < size; ++x) {
    least[x] = std::min(least[x], static_cast<Side>(left[x] + right[x]));
  }
}

namespace {

/// Fills [begin, end) of a buffer that ends at `limit`; short runs spill over `end`, which costs
/// less than stopping there.
inline void fill_run(Side* begin, Side* end, Side* limit, Side value) {
  constexpr std::ptrdiff_t kVector = 16;
  while (begin < end && limit - begin >= kVector) {
    for (std::ptrdiff_t i = 0; i < kVector; ++i) begin[i] = value;
    begin += kVector;
  }
  while (begin < end) *begin++ = value;
}

/// The smallest x' ≤ x from which the curve is level up to x.
inline std::size_t begin_of_level(const Side* curve, std::size_t x) {
  constexpr std::size_t kStride = 4;  // sides compared at once
  const std::uint64_t four = 0x0001'0001'0001'0001ULL * curve[x];
  while (x >= kStride) {
    std::uint64_t before = 0;
    std::memcpy(&before, curve + x - kStride, sizeof before);
    if (before != four) break;
    x -= kStride;
  }
  while (x > 0 && curve[x - 1] == curve[x]) --x;
  return x;
}

}  // namespace

WAFERLOOM_VECTOR_CLONES
void invert_curve(std::span<const Side> curve, std::span<Side> result) {
  // Walk down in x, up in y: the level that begins at x is the first to reach the heights from its
  // own up to that of the level before.
  Side* const inverse = result.data();
  Side* const limit = inverse + result.size();
  std::size_t filled = std::min<std::size_t>(curve.back(), result.size());
  fill_run(inverse, inverse + filled, limit, kUnreachable);
  std::size_t x = curve.size() - 1;
  while (filled < result.size()) {
    x = begin_of_level(curve.data(), x);
    const std::size_t next =
        x == 0 ? result.size() : std::min<std::size_t>(curve[x - 1], result.size());
    fill_run(inverse + filled, inverse + next, limit, static_cast<Side>(x));
    filled = next;
    if (x == 0) break;
    --x;
  }
}

}  // namespace waferloom::placer
