#include "viz/canvas/dead_tiles.h"

#include <algorithm>
#include <cmath>

namespace waferloom::viz {
namespace {

constexpr Colour kDeadFill{176, 182, 190};
constexpr Colour kDeadLines{112, 120, 130};
constexpr double kLeastSide = 1.6;    // of a dead rectangle, so that single tiles can be seen
constexpr double kHatchedSide = 6.0;  // dead rectangles with larger sides are hatched
constexpr double kHatchSpacing = 5.0;

/// The box with sides of at least kLeastSide, around the same centre.
Box visible(const Box& box) {
  const double swell_x = std::max(0.0, kLeastSide - box.width);
  const double swell_y = std::max(0.0, kLeastSide - box.height);
  return {box.x - swell_x / 2, box.y - swell_y / 2, box.width + swell_x, box.height + swell_y};
}

}  // namespace

std::vector<Segment> hatch(const Box& box, double spacing) {
  std::vector<Segment> lines;
  // Lines x - y = d, rising to the right on the page turned by 45°.
  const double first = box.x - (box.y + box.height);
  const double last = box.x + box.width - box.y;
  for (double d = std::ceil(first / spacing) * spacing; d <= last; d += spacing) {
    const double top = std::max(box.y, box.x - d);
    const double bottom = std::min(box.y + box.height, box.x + box.width - d);
    if (top < bottom) lines.push_back({{d + top, top}, {d + bottom, bottom}});
  }
  return lines;
}

void draw_dead_box(Canvas& canvas, const Box& box) {
  canvas.box(box, filled(kDeadFill));
  if (std::min(box.width, box.height) < kHatchedSide) return;
  canvas.lines(hatch(box, kHatchSpacing), {kDeadLines, 0.7, false});
}

void draw_dead_tiles(Canvas& canvas, const MeshView& view, const std::vector<Rectangle>& dead) {
  if (dead.empty()) return;
  canvas.begin_group({"dead", {}});
  for (const Rectangle& tiles : dead) draw_dead_box(canvas, visible(to_page(view, tiles)));
  canvas.end_group();
}

}  // namespace waferloom::viz
