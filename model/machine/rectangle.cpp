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

bool contains(const Rectangle& outer, const Rectangle& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

}  // namespace waferloom
