#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>

#include "kernels/int128.h"

// Private to model/.
namespace waferloom {

/// Twice one count and another still fit into 64 bits.
inline constexpr std::int64_t kMostCount = std::int64_t{1} << 60;

[[noreturn]] inline void fail_overflow() { throw std::overflow_error("a count exceeds 2^60"); }

/// The product of factors at or above 0. Throws std::overflow_error beyond 2^60.
inline std::int64_t product_of(std::initializer_list<std::int64_t> factors) {
  Int128 result = 1;
  for (const std::int64_t factor : factors) {
    result *= factor;
    if (result > kMostCount) fail_overflow();
  }
  return static_cast<std::int64_t>(result);
}

/// The sum of terms. Throws std::overflow_error beyond 2^60.
inline std::int64_t sum_of(std::initializer_list<std::int64_t> terms) {
  Int128 result = 0;
  for (const std::int64_t term : terms) result += term;
  if (result > kMostCount) fail_overflow();
  return static_cast<std::int64_t>(result);
}

}  // namespace waferloom
