#include <boost/polygon/polygon.hpp>

#include "model/wafer.h"

namespace waferloom {

std::int64_t covered_tiles(const std::vector<Rectangle>& rectangles, const Rectangle& bounds) {
  using Box = boost::polygon::rectangle_data<std::int64_t>;
  boost::polygon::polygon_90_set_data<std::int64_t> covered;
  for (const Rectangle& whole : rectangles) {
    if (!overlap(whole, bounds)) continue;
    const Rectangle part = intersection(whole, bounds);
    covered.insert(Box(part.x, part.y, part.x + part.width, part.y + part.height));
  }
  // Boost's area() of 64-bit coordinates is a double: the parts are summed up exactly instead.
  std::vector<Box> parts;
  covered.get_rectangles(parts);
  std::int64_t tiles = 0;
  for (const Box& part : parts) {
    tiles += (xh(part) - xl(part)) * (yh(part) - yl(part));
  }
  return tiles;
}

}  // namespace waferloom
