#pragma once

#include <cstdint>
#include <limits>

#include "model/errors.h"

namespace waferloom::sim {

/// Simulated time.
using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
/// Nothing that is simulated may take longer: some 53 days.
inline constexpr Picoseconds kHorizon = Picoseconds{1} << 62;
/// The longest single wait, half of that: rates may make longer ones in floating point.
inline constexpr double kLongestWait = 0x1p61;
[[noreturn]] inline void fail_beyond_horizon() {
  throw RequestError("simulated time exceeds 2^62 ps");
}
/// a + b, both at least 0. Throws RequestError beyond kHorizon.
inline Picoseconds later(Picoseconds a, Picoseconds b) {
  if (a > kHorizon - b) fail_beyond_horizon();
  return a + b;
}
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace waferloom::sim
