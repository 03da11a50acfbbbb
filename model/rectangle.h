#pragma once

#include <cstdint>

namespace waferloom {

/// Farthest coordinate, either way, that sums of this library are made for; no reader lets more
/// pass. Far beyond any wafer, so that wrong files can be told from overflows.
inline constexpr std::int64_t kMaxCoordinate = 1'000'000'000'000;

/// Axis-parallel rectangle of whole tiles; (x, y) is its lower left corner.
struct Rectangle {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  bool operator==(const Rectangle&) const = default;
};

/// Whether the two share at least one tile.
bool overlap(const Rectangle& a, const Rectangle& b);
/// The shared part; meaningful only if they overlap.
Rectangle intersection(const Rectangle& a, const Rectangle& b);
/// Whether every tile of `inner` is one of `outer`.
bool contains(const Rectangle& outer, const Rectangle& inner);

}  // namespace waferloom
