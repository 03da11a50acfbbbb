#pragma once

#include <cstdint>
#include <vector>

#include "model/rectangle.h"

namespace waferloom {

/// Number of tiles within `bounds` that at least one rectangle covers. Coordinates of any size up
/// to 2^40. Sweep over x with a tree of cover counts over y; O(n log n).
std::int64_t covered_tiles(const std::vector<Rectangle>& rectangles, const Rectangle& bounds);

}  // namespace waferloom
