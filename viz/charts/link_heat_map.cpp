#include "viz/link_heat_map.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/hardware.h"
#include "model/text_table.h"
#include "viz/canvas/dead_tiles.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"
#include "viz/floorplan/dead_links.h"
#include "viz/floorplan/fabric_parts.h"

namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPlotSide = 760;
constexpr double kLeastPlot = 300;
constexpr double kLegendWidth = 170;
constexpr double kLegendGap = 26;
constexpr double kFooter = 44;
constexpr std::size_t kLinksOfATile = 4;
constexpr int kSteps = 8;

/// ColorBrewer's YlOrRd, from little to most.
constexpr Colour kHeat[kSteps] = {{255, 237, 160}, {254, 217, 118}, {254, 178, 76}, {253, 141, 60},
                                  {252, 78, 42},   {227, 26, 28},   {189, 0, 38},   {106, 0, 26}};

constexpr double kWedgePitch = 9;  ///< a tile so large shows its four links

/// The step of a share, −1 for none.
int step_of(double busy, double most) {
  if (busy <= 0) return -1;
  return std::clamp(static_cast<int>(std::ceil(busy / most * kSteps)) - 1, 0, kSteps - 1);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  return general_text(percent, percent < 1 ? 2 : 3) + " %";
}

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

class Picture {
 public:
  Picture(const LinkHeatMap& map, PictureFormat format) : map_(map) {
    const auto tiles = static_cast<std::size_t>(map.mesh.width * map.mesh.height);
    if (map.link_busy.size() != kLinksOfATile * tiles) {
      throw std::invalid_argument("a link heat map has four links a tile");
    }
    busiest_ = static_cast<std::size_t>(
        std::max_element(map.link_busy.begin(), map.link_busy.end()) - map.link_busy.begin());
    most_ = map.link_busy[busiest_];
    const double pitch = kPlotSide / double(std::max(map.mesh.width, map.mesh.height));
    width_ = double(map.mesh.width) * pitch;
    height_ = double(map.mesh.height) * pitch;
    room_ = std::max(width_, kLeastPlot);
    view_ = {{0, 0, map.mesh.width, map.mesh.height},
             {kMargin + kAxisRoom + (room_ - width_) / 2, kMargin + kHeadingHeight},
             pitch};
    const double legend_height = 2 * kLegendHeading + (kSteps + 8) * kLegendLine;
    page_ = {kMargin + kAxisRoom + room_ + kLegendGap + kLegendWidth + kMargin,
             kMargin + kHeadingHeight + std::max(height_ + kFooter, legend_height) + kMargin / 2};
    canvas_ = make_canvas({page_, format, "Link loads of " + map.title});
  }

  std::string draw() {
    draw_heading(*canvas_, {"Link loads of " + map_.title, facts(), small_print()},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    const Box mesh = to_page(view_, view_.tiles);
    canvas_->box(mesh, filled(kSilicon));
    if (shows_links()) {
      draw_links();
    } else {
      draw_tiles();
    }
    draw_dead_tiles(*canvas_, view_, map_.mesh.dead);
    draw_dead_links(*canvas_, view_, map_.dead_links);
    canvas_->box(mesh, {kNoColour, {kInk, 1.4, false}, 0});
    canvas_->begin_group({"stages", {}});
    for (const Rectangle& tiles : map_.stages) {
      canvas_->box(to_page(view_, tiles), {kNoColour, {kMuted, 0.6, false}, 0});
    }
    canvas_->end_group();
    if (!map_.ports.empty()) draw_ports(*canvas_, view_, map_.mesh, map_.ports);
    draw_busiest();
    draw_axes(*canvas_, view_, map_.mesh, map_.ports.empty() ? 0 : kPortSize);
    draw_legend();
    draw_scale_bar(
        *canvas_, view_,
        {{view_.corner.x + width_, view_.corner.y + height_ + 34}, std::min(width_, 160.0)});
    return canvas_->finish();
  }

 private:
  int step_at(std::int64_t x, std::int64_t y) const {
    const auto tile = static_cast<std::size_t>(y * map_.mesh.width + x);
    const auto first = map_.link_busy.begin() + static_cast<std::ptrdiff_t>(kLinksOfATile * tile);
    return step_of(*std::max_element(first, first + kLinksOfATile), most_);
  }

  /// A box swollen to what the eye can see; busier ones are drawn over others.
  static Box visible(Box box) {
    constexpr double kLeast = 2.4;
    const double x = std::max(0.0, kLeast - box.width);
    const double y = std::max(0.0, kLeast - box.height);
    return {box.x - x / 2, box.y - y / 2, box.width + x, box.height + y};
  }

  void draw_tiles() {
    std::vector<Box> boxes[kSteps];
    for (std::int64_t y = 0; y < map_.mesh.height; ++y) {
      for (std::int64_t x = 0; x < map_.mesh.width;) {
        const int step = step_at(x, y);
        std::int64_t end = x + 1;
        while (end < map_.mesh.width && step_at(end, y) == step) ++end;
        if (step >= 0) boxes[step].push_back(visible(to_page(view_, {x, y, end - x, 1})));
        x = end;
      }
    }
    canvas_->begin_group({"loads", {}});
    for (int step = 0; step < kSteps; ++step) {
      if (!boxes[step].empty()) canvas_->boxes(boxes[step], kHeat[step]);
    }
    canvas_->end_group();
  }

  bool shows_links() const { return view_.pitch >= kWedgePitch && !map_.switched; }

  std::string facts() const {
    return busiest_text() + (map_.facts.empty() ? "" : " · " + map_.facts);
  }

  std::string small_print() const {
    const std::string time = " The time is all that was simulated, filling and draining too.";
    if (shows_links())
      return "Of every tile the four links out of it, each a quarter towards its neighbour." + time;
    return std::string("Every tile in the colour of the busiest link ") +
           (map_.switched ? "between it and a switch, a row a node" : "out of it") +
           "; lines are widened to be seen." + time;
  }

  void draw_links() {
    canvas_->begin_group({"loads", {}});
    for (std::size_t link = 0; link < map_.link_busy.size(); ++link) {
      const int step = step_of(map_.link_busy[link], most_);
      if (step < 0) continue;
      canvas_->polygon(wedge(tile_box(link), direction_of(link)), filled(kHeat[step]));
    }
    canvas_->end_group();
  }

  static Direction direction_of(std::size_t link) {
    return static_cast<Direction>(link % kLinksOfATile);
  }

  Box tile_box(std::size_t link) const {
    const auto tile = static_cast<std::int64_t>(link / kLinksOfATile);
    return to_page(view_, {tile % map_.mesh.width, tile / map_.mesh.width, 1, 1});
  }

  std::string busiest_text() const {
    if (most_ <= 0) return "no link carried anything";
    const auto tile = static_cast<std::int64_t>(busiest_ / kLinksOfATile);
    const std::string at = " of tile (" + std::to_string(tile % map_.mesh.width) + ", " +
                           std::to_string(tile / map_.mesh.width) + ")";
    const std::string link =
        map_.switched ? "link" : std::string("link ") + kDirectionNames[busiest_ % kLinksOfATile];
    return "busiest: " + link + at + ", " + percent_text(most_) + " of the time";
  }

  /// A ring in or, where tiles are small, around the busiest link's tile, and an arrow the way it
  /// goes; on a white rim where dark links may lie below.
  void draw_busiest() {
    if (most_ <= 0) return;
    canvas_->begin_group({"busiest", busiest_text()});
    if (shows_links()) draw_ring_and_arrow({kWhite, 4, false});
    draw_ring_and_arrow({kPort, 1.8, false});
    canvas_->end_group();
  }

  void draw_ring_and_arrow(const Stroke& stroke) {
    constexpr double kLeastRadius = 7;
    const Box tile = tile_box(busiest_);
    const Point middle = middle_of(tile);
    const double radius = std::max(kLeastRadius, tile.width / 2);
    canvas_->circle({middle, radius}, {kNoColour, stroke, 0});
    if (map_.switched) return;
    const Point way = way_of(direction_of(busiest_));
    const auto ahead = [&](double far, double aside) {
      return Point{middle.x + far * way.x + aside * way.y, middle.y + far * way.y + aside * way.x};
    };
    const double tip = 2 * radius;
    const double half = std::clamp(radius / 6, 3.0, 6.0) + (stroke.width - 1.8) / 2;
    const double back = tip - std::max(4.0, 1.4 * half);
    canvas_->lines({{ahead(radius, 0), ahead(back, 0)}}, stroke);
    canvas_->polygon({ahead(tip, 0), ahead(back, -half), ahead(back, half)}, filled(stroke.colour));
  }

  void draw_legend() {
    Legend legend(*canvas_, {kMargin + kAxisRoom + room_ + kLegendGap, view_.corner.y, kLegendWidth,
                             height_});
    legend.heading("Busy, up to");
    for (int step = kSteps - 1; step >= 0; --step) {
      const double share = most_ * double(step + 1) / double(kSteps);
      canvas_->box(legend.entry(percent_text(share)), filled(kHeat[step]));
    }
    canvas_->box(legend.entry("none"), {kSilicon, {kHairline, 0.6, false}, 0});
    constexpr double kNearlyAlways = 0.98;
    if (most_ > 0 && most_ < kNearlyAlways)
      legend.fact("The scale ends at " + percent_text(most_) + ", not at 100 %.", {}, kMuted);
    legend.heading("Hardware");
    if (!map_.mesh.dead.empty()) draw_dead_box(*canvas_, legend.entry("dead tiles"));
    explain_dead_links(*canvas_, legend, map_.dead_links);
    if (!map_.ports.empty()) explain_ports(*canvas_, legend, map_.ports, "ports");
    const Box ring = legend.entry("busiest link");
    canvas_->circle({{ring.x + ring.width / 2, ring.y + ring.height / 2}, 5},
                    {kNoColour, {kPort, 1.8, false}, 0});
  }

  const LinkHeatMap& map_;
  std::size_t busiest_ = 0;
  double most_ = 0;
  double width_ = 0;
  double height_ = 0;
  double room_ = 0;
  MeshView view_;
  PageSize page_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_link_heat_map(const LinkHeatMap& map, PictureFormat format) {
  return Picture(map, format).draw();
}

}  // namespace waferloom::viz
