#pragma once

#include <cstdint>
#include <limits>

namespace waferloom {

/// Simulated time.
using Picoseconds = std::int64_t;
inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

}  // namespace waferloom
