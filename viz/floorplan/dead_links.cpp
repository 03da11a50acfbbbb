#include "viz/floorplan/dead_links.h"

#include <algorithm>
#include <string>

#include "viz/floorplan/fabric_parts.h"

namespace waferloom::viz {

Box dead_link_bar(const DeadLink& link, const Box& tile) {
  constexpr double kLeastLength = 5;
  constexpr double kLeastBreadth = 1.8;
  const double length = std::max(kLeastLength, 0.6 * tile.width);
  const double breadth = std::max(kLeastBreadth, 0.1 * tile.width);
  const Point centre = middle_of(tile);
  switch (link.direction) {
    case Direction::east:
      return {tile.x + tile.width - breadth, centre.y - length / 2, breadth, length};
    case Direction::west:
      return {tile.x, centre.y - length / 2, breadth, length};
    case Direction::north:
      return {centre.x - length / 2, tile.y, length, breadth};
    case Direction::south:
      break;
  }
  return {centre.x - length / 2, tile.y + tile.height - breadth, length, breadth};
}

void draw_dead_links(Canvas& canvas, const MeshView& view, const std::vector<DeadLink>& links) {
  if (links.empty()) return;
  std::vector<Box> bars;
  bars.reserve(links.size());
  for (const DeadLink& link : links) {
    bars.push_back(dead_link_bar(link, to_page(view, {link.x, link.y, 1, 1})));
  }
  canvas.begin_group({"dead-links", {}});
  canvas.boxes(bars, kDead);
  canvas.end_group();
}

void explain_dead_links(Canvas& canvas, Legend& legend, const std::vector<DeadLink>& links) {
  if (links.empty()) return;
  const Box swatch = legend.entry("dead links", std::to_string(links.size()));
  constexpr double kBreadth = 3;
  canvas.box({swatch.x + (swatch.width - kBreadth) / 2, swatch.y, kBreadth, swatch.height},
             filled(kDead));
}

}  // namespace waferloom::viz
