#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/placement.h"

namespace waferloom {

/// Indices of two rectangles, the lower first.
using RectanglePair = std::pair<std::size_t, std::size_t>;

/// The pairs of rectangles that share tiles, ascending; sides must be positive and all sums within
/// 64 bits. If there are more than `most`, that many of them, always the same. A sweep over x with
/// a tree over y: O(n log n + pairs·log n).
std::vector<RectanglePair> overlapping_pairs(const std::vector<Rectangle>& rectangles,
                                             std::size_t most);

/// The pairs of one rectangle of `first` and one of `second`, by their indices there, that share
/// tiles, ascending; the same otherwise.
std::vector<RectanglePair> overlapping_pairs_between(const std::vector<Rectangle>& first,
                                                     const std::vector<Rectangle>& second,
                                                     std::size_t most);

/// Number of tiles within `bounds` that at least one rectangle covers. Coordinates of any size up
/// to 2^40. Boost.Polygon's sweep into disjoint rectangles: O(n log n) where few overlap.
std::int64_t covered_tiles(const std::vector<Rectangle>& rectangles, const Rectangle& bounds);

}  // namespace waferloom
