#include <fmt/format.h>

#include <algorithm>

#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {
namespace {

std::string_view rule_name(RegionRule rule) {
  return words_of(rule)[static_cast<std::size_t>(rule)];
}

}  // namespace

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
    canvas.begin_group({"region", fmt::format("{}: region of {} kernels", rule_name(region.rule),
                                              region.kernels.size())});
    canvas.box(to_page(scene.view, region.area), {kNoColour, region_stroke(region.rule), 0});
    canvas.end_group();
  }
}

}  // namespace waferloom::viz
