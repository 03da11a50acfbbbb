#include "viz/charts/link_heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "model/hardware.h"

namespace waferloom::viz {
namespace {

constexpr std::size_t kLinksOfATile = 4;

constexpr Colour kHeat[kHeatSteps] = {{255, 237, 160}, {254, 217, 118}, {254, 178, 76},
                                      {253, 141, 60},  {252, 78, 42},   {227, 26, 28},
                                      {189, 0, 38},    {106, 0, 26}};

constexpr double kWedgePitch = 9;  ///< a tile so large shows its four links

/// The quarter of a tile's box that lies towards a side.
std::vector<Point> wedge(const Box& box, Direction side) {
  const Point middle{box.x + box.width / 2, box.y + box.height / 2};
  const Point top_left{box.x, box.y};
  const Point top_right{box.x + box.width, box.y};
  const Point bottom_left{box.x, box.y + box.height};
  const Point bottom_right{box.x + box.width, box.y + box.height};
  switch (side) {
    case Direction::east:
      return {middle, top_right, bottom_right};
    case Direction::west:
      return {middle, bottom_left, top_left};
    case Direction::north:
      return {middle, top_left, top_right};
    case Direction::south:
      break;
  }
  return {middle, bottom_right, bottom_left};
}

/// A step of length one on the page.
Point way_of(Direction direction) {
  switch (direction) {
    case Direction::east:
      return {1, 0};
    case Direction::west:
      return {-1, 0};
    case Direction::north:
      return {0, -1};
    case Direction::south:
      break;
  }
  return {0, 1};
}

Direction direction_of(std::size_t link) { return static_cast<Direction>(link % kLinksOfATile); }

Box tile_box(const MeshView& view, const LinkHeat& heat, std::size_t link) {
  const auto tile = static_cast<std::int64_t>(link / kLinksOfATile);
  return to_page(view, {tile % heat.mesh.width, tile / heat.mesh.width, 1, 1});
}

/// The step of a tile's busiest link.
int step_at(const LinkHeat& heat, const HeatScale& scale, std::int64_t x, std::int64_t y) {
  const auto tile = static_cast<std::size_t>(y * heat.mesh.width + x);
  const auto first = heat.loads.begin() + static_cast<std::ptrdiff_t>(kLinksOfATile * tile);
  return scale.step_of(*std::max_element(first, first + kLinksOfATile));
}

/// Tiles of one step beside each other in a row.
struct HeatRun {
  int step = 0;
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool operator<(const HeatRun& other) const {
    return std::tie(step, first, end) < std::tie(other.step, other.first, other.end);
  }
};

std::vector<HeatRun> runs_of_row(const LinkHeat& heat, const HeatScale& scale, std::int64_t y) {
  std::vector<HeatRun> runs;
  for (std::int64_t x = 0; x < heat.mesh.width;) {
    const int step = step_at(heat, scale, x, y);
    std::int64_t end = x + 1;
    while (end < heat.mesh.width && step_at(heat, scale, end, y) == step) ++end;
    if (step >= 0) runs.push_back({step, x, end});
    x = end;
  }
  return runs;
}

/// The box of equal runs in some rows, swollen to what the eye can see, as if each row had its own;
/// busier ones are drawn over others.
Box swollen(const MeshView& view, const Rectangle& tiles, double least) {
  const Box box = to_page(view, tiles);
  const double x = std::max(0.0, least - box.width);
  const double y = std::max(0.0, least - view.pitch);
  return {box.x - x / 2, box.y - y / 2, box.width + x, box.height + y};
}

void draw_tiles(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                const HeatScale& scale) {
  std::array<std::vector<Box>, kHeatSteps> boxes;
  std::map<HeatRun, std::int64_t> open;  // with the row where it began
  for (std::int64_t y = 0; y <= heat.mesh.height; ++y) {
    std::map<HeatRun, std::int64_t> next;
    if (y < heat.mesh.height) {
      for (const HeatRun& run : runs_of_row(heat, scale, y)) {
        const auto below = open.find(run);
        next[run] = below == open.end() ? y : below->second;
      }
    }
    for (const auto& [run, begin] : open) {
      if (next.contains(run)) continue;
      boxes[static_cast<std::size_t>(run.step)].push_back(
          swollen(view, {run.first, begin, run.end - run.first, y - begin}, heat.least_line));
    }
    open = std::move(next);
  }
  for (int step = 0; step < kHeatSteps; ++step) {
    const std::vector<Box>& alike = boxes[static_cast<std::size_t>(step)];
    if (!alike.empty()) canvas.boxes(alike, kHeat[step]);
  }
}

void draw_wedges(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                 const HeatScale& scale) {
  for (std::size_t link = 0; link < heat.loads.size(); ++link) {
    const int step = scale.step_of(heat.loads[link]);
    if (step < 0) continue;
    canvas.polygon(wedge(tile_box(view, heat, link), direction_of(link)), filled(kHeat[step]));
  }
}

void draw_ring_and_arrow(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                         const Stroke& stroke) {
  constexpr double kLeastRadius = 7;
  const Box tile = tile_box(view, heat, heat.busiest());
  const Point middle = middle_of(tile);
  const double radius = std::max(kLeastRadius, tile.width / 2);
  canvas.circle({middle, radius}, {kNoColour, stroke, 0});
  if (heat.switched) return;
  const Point way = way_of(direction_of(heat.busiest()));
  const auto ahead = [&](double far, double aside) {
    return Point{middle.x + far * way.x + aside * way.y, middle.y + far * way.y + aside * way.x};
  };
  const double tip = 2 * radius;
  const double half = std::clamp(radius / 6, 3.0, 6.0) + (stroke.width - 1.8) / 2;
  const double back = tip - std::max(4.0, 1.4 * half);
  canvas.lines({{ahead(radius, 0), ahead(back, 0)}}, stroke);
  canvas.polygon({ahead(tip, 0), ahead(back, -half), ahead(back, half)}, filled(stroke.colour));
}

}  // namespace

int HeatScale::step_of(double load) const {
  if (load <= 0) return -1;
  const auto at = std::lower_bound(bounds.begin(), bounds.end(), load);
  return std::min(static_cast<int>(at - bounds.begin()), kHeatSteps - 1);
}

HeatScale even_scale(double most) {
  HeatScale scale;
  for (std::size_t step = 0; step < kHeatSteps; ++step) {
    scale.bounds[step] = most * double(step + 1) / double(kHeatSteps);
  }
  return scale;
}

HeatScale limit_scale() {
  return {{0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, std::numeric_limits<double>::infinity()}};
}

Colour heat_colour(int step) { return kHeat[step]; }

std::size_t LinkHeat::busiest() const {
  return static_cast<std::size_t>(std::max_element(loads.begin(), loads.end()) - loads.begin());
}

double LinkHeat::most() const { return loads.empty() ? 0 : loads[busiest()]; }

std::string LinkHeat::name_of(std::size_t link) const {
  const auto tile = static_cast<std::int64_t>(link / kLinksOfATile);
  const std::string name =
      switched ? "link" : std::string("link ") + kDirectionNames[link % kLinksOfATile];
  return fmt::format("{} of tile ({}, {})", name, tile % mesh.width, tile / mesh.width);
}

void check(const LinkHeat& heat) {
  const auto tiles = static_cast<std::size_t>(heat.mesh.width * heat.mesh.height);
  if (heat.loads.size() == kLinksOfATile * tiles) return;
  throw std::logic_error("a link heat map has four links a tile");
}

bool shows_links(const LinkHeat& heat, const MeshView& view) {
  return view.pitch >= kWedgePitch && !heat.switched;
}

void draw_link_heat(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                    const HeatScale& scale) {
  canvas.begin_group({"loads", {}});
  if (shows_links(heat, view)) {
    draw_wedges(canvas, view, heat, scale);
  } else {
    draw_tiles(canvas, view, heat, scale);
  }
  canvas.end_group();
}

void draw_busiest_link(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                       const std::string& tooltip) {
  if (heat.most() <= 0) return;
  canvas.begin_group({"busiest", tooltip});
  if (shows_links(heat, view)) draw_ring_and_arrow(canvas, view, heat, {kWhite, 4, false});
  draw_ring_and_arrow(canvas, view, heat, {kPort, 1.8, false});
  canvas.end_group();
}

void explain_busiest_link(Canvas& canvas, Legend& legend) {
  const Box ring = legend.entry("busiest link");
  canvas.circle({middle_of(ring), 5}, {kNoColour, {kPort, 1.8, false}, 0});
}

}  // namespace waferloom::viz
