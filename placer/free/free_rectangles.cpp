#include "placer/free/free_rectangles.h"

#include <algorithm>
#include <iterator>

namespace waferloom::placer {

void FreeRectangles::cover(const Rectangle& tiles) {
  parts_.clear();
  const auto keep_part = [&](const Rectangle& part) {
    if (part.width > 0 && part.height > 0) parts_.push_back(part);
  };
  const auto cut = std::partition(free_.begin(), free_.end(),
                                  [&](const Rectangle& free) { return !overlap(free, tiles); });
  for (auto it = cut; it != free_.end(); ++it) {
    const Rectangle& free = *it;
    const std::int64_t right = free.x + free.width;
    const std::int64_t top = free.y + free.height;
    keep_part({free.x, free.y, tiles.x - free.x, free.height});
    keep_part({tiles.x + tiles.width, free.y, right - tiles.x - tiles.width, free.height});
    keep_part({free.x, free.y, free.width, tiles.y - free.y});
    keep_part({free.x, tiles.y + tiles.height, free.width, top - tiles.y - tiles.height});
  }
  free_.erase(cut, free_.end());
  // Largest first, so that a part that lies in another one is met after it.
  std::sort(parts_.begin(), parts_.end(), [](const Rectangle& a, const Rectangle& b) {
    const std::int64_t area_a = a.width * a.height;
    const std::int64_t area_b = b.width * b.height;
    if (area_a != area_b) return area_a > area_b;
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  // Each part lies along a side of the tiles, and so does what it may lie in.
  const Rectangle around{tiles.x - 1, tiles.y - 1, tiles.width + 2, tiles.height + 2};
  near_.clear();
  std::copy_if(free_.begin(), free_.end(), std::back_inserter(near_),
               [&](const Rectangle& free) { return overlap(free, around); });
  for (const Rectangle& part : parts_) {
    const bool inside = std::any_of(near_.begin(), near_.end(),
                                    [&](const Rectangle& free) { return contains(free, part); });
    if (inside) continue;
    free_.push_back(part);
    near_.push_back(part);
  }
}

}  // namespace waferloom::placer
