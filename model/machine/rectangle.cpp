#include <algorithm>

#include "model/wafer.h"

namespace waferloom {

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

Rectangle intersection(const Rectangle& a, const Rectangle& b) {
  const std::int64_t left = std::max(a.x, b.x);
  const std::int64_t bottom = std::max(a.y, b.y);
  const std::int64_t right = std::min(a.x + a.width, b.x + b.width);
  const std::int64_t top = std::min(a.y + a.height, b.y + b.height);
  return Rectangle{left, bottom, right - left, top - bottom};
}

std::vector<Rectangle> outside_of(const Rectangle& taken, const std::vector<Rectangle>& all) {
  std::vector<Rectangle> left;
  const auto keep = [&](std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    if (width > 0 && height > 0) left.push_back({x, y, width, height});
  };
  for (const Rectangle& part : all) {
    if (!overlap(part, taken)) {
      left.push_back(part);
      continue;
    }
    // Below, above, and what is beside it.
    const Rectangle inside = intersection(part, taken);
    const std::int64_t top = inside.y + inside.height;
    const std::int64_t right = inside.x + inside.width;
    keep(part.x, part.y, part.width, inside.y - part.y);
    keep(part.x, top, part.width, part.y + part.height - top);
    keep(part.x, inside.y, inside.x - part.x, inside.height);
    keep(right, inside.y, part.x + part.width - right, inside.height);
  }
  return left;
}

bool contains(const Rectangle& outer, const Rectangle& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

}  // namespace waferloom
