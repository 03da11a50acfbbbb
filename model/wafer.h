#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

/// Rectangles of what `all` cover outside of one; disjoint where these are. O(n).
std::vector<Rectangle> outside_of(const Rectangle& taken, const std::vector<Rectangle>& all);

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
