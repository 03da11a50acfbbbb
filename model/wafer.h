#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/rectangle.h"

namespace waferloom {

/// Mesh of width × height tiles; each in [1, kMaxWaferSide]. Kernels may not cover dead tiles;
/// the dead rectangles, at most kMaxDeadRectangles, lie on the wafer and may overlap.
struct Wafer {
  std::int64_t width = 633;
  std::int64_t height = 633;
  std::vector<Rectangle> dead{};
  bool operator==(const Wafer&) const = default;
};
inline constexpr std::int64_t kMaxWaferSide = 32'000;
inline constexpr std::size_t kMaxDeadRectangles = 100'000;

/// Number of tiles that are not dead, exact whatever the overlaps. O(d log d) for d dead
/// rectangles.
std::int64_t usable_tiles(const Wafer& wafer);

/// Whether the rectangle lies wholly on the wafer and covers no dead tile. O(d).
bool is_clear(const Wafer& wafer, const Rectangle& tiles);

}  // namespace waferloom
