#include "viz/link_heat_map.h"

#include <algorithm>
#include <memory>

#include "model/report.h"
#include "model/text.h"
#include "viz/canvas/dead_tiles.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"
#include "viz/charts/link_heat.h"
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

std::string busy_text(double share) {
  const double percent = 100 * share;
  return significant_text(percent, percent < 1 ? 2 : 3) + " %";
}

class Picture {
 public:
  Picture(const LinkHeatMap& map, PictureFormat format)
      : map_(map), heat_{map.mesh, map.link_busy, map.switched} {
    check(heat_);
    most_ = heat_.most();
    scale_ = even_scale(most_);
    const double pitch = kPlotSide / double(std::max(map.mesh.width, map.mesh.height));
    width_ = double(map.mesh.width) * pitch;
    height_ = double(map.mesh.height) * pitch;
    room_ = std::max(width_, kLeastPlot);
    view_ = {{0, 0, map.mesh.width, map.mesh.height},
             {kMargin + kAxisRoom + (room_ - width_) / 2, kMargin + kHeadingHeight},
             pitch};
    const double legend_height = 2 * kLegendHeading + (kHeatSteps + 8) * kLegendLine;
    page_ = {kMargin + kAxisRoom + room_ + kLegendGap + kLegendWidth + kMargin,
             kMargin + kHeadingHeight + std::max(height_ + kFooter, legend_height) + kMargin / 2};
    canvas_ = make_canvas({page_, format, "Link loads of " + map.title});
  }

  std::string draw() {
    draw_heading(*canvas_, {"Link loads of " + map_.title, facts(), small_print()},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    const Box mesh = to_page(view_, view_.tiles);
    canvas_->box(mesh, filled(kSilicon));
    draw_link_heat(*canvas_, view_, heat_, scale_);
    draw_dead_tiles(*canvas_, view_, map_.mesh.dead);
    draw_dead_links(*canvas_, view_, map_.dead_links);
    canvas_->box(mesh, {kNoColour, {kInk, 1.4, false}, 0});
    canvas_->begin_group({"stages", {}});
    for (const Rectangle& tiles : map_.stages) {
      canvas_->box(to_page(view_, tiles), {kNoColour, {kMuted, 0.6, false}, 0});
    }
    canvas_->end_group();
    if (!map_.ports.empty()) draw_ports(*canvas_, view_, map_.mesh, map_.ports);
    draw_busiest_link(*canvas_, view_, heat_, busiest_text());
    draw_axes(*canvas_, view_, map_.mesh, map_.ports.empty() ? 0 : kPortSize);
    draw_legend();
    draw_scale_bar(
        *canvas_, view_,
        {{view_.corner.x + width_, view_.corner.y + height_ + 34}, std::min(width_, 160.0)});
    return canvas_->finish();
  }

 private:
  bool shows_links() const { return viz::shows_links(heat_, view_); }

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

  std::string busiest_text() const {
    if (most_ <= 0) return "no link carried anything";
    return "busiest: " + heat_.name_of(heat_.busiest()) + ", " + busy_text(most_) + " of the time";
  }

  void draw_legend() {
    Legend legend(*canvas_, {kMargin + kAxisRoom + room_ + kLegendGap, view_.corner.y, kLegendWidth,
                             height_});
    legend.heading("Busy, up to");
    for (int step = kHeatSteps - 1; step >= 0; --step) {
      const double share = scale_.bounds[static_cast<std::size_t>(step)];
      canvas_->box(legend.entry(busy_text(share)), filled(heat_colour(step)));
    }
    canvas_->box(legend.entry("none"), {kSilicon, {kHairline, 0.6, false}, 0});
    constexpr double kNearlyAlways = 0.98;
    if (most_ > 0 && most_ < kNearlyAlways)
      legend.fact("The scale ends at " + busy_text(most_) + ", not at 100 %.", {}, kMuted);
    legend.heading("Hardware");
    if (!map_.mesh.dead.empty()) draw_dead_box(*canvas_, legend.entry("dead tiles"));
    explain_dead_links(*canvas_, legend, map_.dead_links);
    if (!map_.ports.empty()) explain_ports(*canvas_, legend, map_.ports, "ports");
    explain_busiest_link(*canvas_, legend);
  }

  const LinkHeatMap& map_;
  LinkHeat heat_;
  HeatScale scale_;
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
