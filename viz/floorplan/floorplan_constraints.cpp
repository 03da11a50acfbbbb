#include <algorithm>

#include "viz/floorplan/floorplan_parts.h"

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

const char* rule_name(RegionRule rule) {
  switch (rule) {
    case RegionRule::inside:
      return "inside";
    case RegionRule::outside:
      return "outside";
    case RegionRule::prefer:
      break;
  }
  return "prefer";
}

}  // namespace

void draw_dead_box(Canvas& canvas, const Box& box) {
  canvas.box(box, filled(kDeadFill));
  if (std::min(box.width, box.height) < kHatchedSide) return;
  canvas.lines(hatch(box, kHatchSpacing), {kDeadLines, 0.7, false});
}

void draw_dead_tiles(Canvas& canvas, const FloorplanScene& scene) {
  const std::vector<Rectangle>& dead = scene.problem.wafer().dead;
  if (dead.empty()) return;
  canvas.begin_group({"dead", {}});
  for (const Rectangle& tiles : dead) draw_dead_box(canvas, visible(to_page(scene.view, tiles)));
  canvas.end_group();
}

Stroke region_stroke(RegionRule rule) {
  switch (rule) {
    case RegionRule::inside:
      return {kPort, 1.6, true};
    case RegionRule::outside:
      return {kAlarm, 1.6, true};
    case RegionRule::prefer:
      break;
  }
  return {kAdapter, 1.6, true};
}

void draw_fixed_mark(Canvas& canvas, const Box& box, double size) {
  const double side = std::min({size, box.width / 2, box.height / 2});
  const double right = box.x + box.width;
  canvas.polygon({{right, box.y}, {right - side, box.y}, {right, box.y + side}}, filled(kInk));
}

void draw_constraints(Canvas& canvas, const FloorplanScene& scene) {
  constexpr double kFixedMark = 11;
  for (KernelIndex i = 0; i < scene.facts.kernels.size(); ++i) {
    const KernelFacts& kernel = scene.facts.kernels[i];
    if (!kernel.fixed || !kernel.tiles || !overlap(*kernel.tiles, scene.view.tiles)) continue;
    const Box box = to_page(scene.view, *kernel.tiles);
    canvas.begin_group({"fixed", scene.problem.kernels()[i].name + " is fixed"});
    draw_fixed_mark(canvas, box, std::max(4.0, kFixedMark * scene.detail));
    canvas.end_group();
  }
  for (const Region& region : scene.problem.constraints().regions) {
    if (!overlap(region.area, scene.view.tiles)) continue;
    canvas.begin_group({"region", std::string(rule_name(region.rule)) + ": region of " +
                                      std::to_string(region.kernels.size()) + " kernels"});
    canvas.box(to_page(scene.view, region.area), {kNoColour, region_stroke(region.rule), 0});
    canvas.end_group();
  }
}

}  // namespace waferloom::viz
