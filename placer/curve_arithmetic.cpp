#include "placer/curve_arithmetic.h"

#include <algorithm>

// The same loops once for any x86-64 and once for AVX2, chosen when the program is loaded. Not
// under sanitizers, whose run time is not yet there when that choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WAFERLOOM_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define WAFERLOOM_VECTOR_CLONES
#endif

namespace waferloom {
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

void invert_curve(std::span<const Side> curve, std::span<Side> result) {
  // Walk x upwards; every drop of the curve opens a run of y that x is the first to reach.
  Side* __restrict__ inverse = result.data();
  std::size_t filled_from = result.size();
  for (std::size_t x = 0; x < curve.size(); ++x) {
    const std::size_t reached = curve[x];
    while (filled_from > reached) inverse[--filled_from] = static_cast<Side>(x);
  }
  while (filled_from > 0) inverse[--filled_from] = kUnreachable;
}

}  // namespace waferloom
