#include "viz/link_heat_map.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"

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

/// The step of a load, −1 for none.
int step_of(std::int64_t bytes, std::int64_t most) {
  if (bytes == 0) return -1;
  const double share = static_cast<double>(bytes) / static_cast<double>(most);
  return std::clamp(static_cast<int>(std::ceil(share * kSteps)) - 1, 0, kSteps - 1);
}

class Picture {
 public:
  Picture(const LinkHeatMap& map, PictureFormat format) : map_(map) {
    const auto tiles = static_cast<std::size_t>(map.mesh.width * map.mesh.height);
    if (map.link_bytes.size() != kLinksOfATile * tiles) {
      throw std::invalid_argument("a link heat map has four links a tile");
    }
    most_ = *std::max_element(map.link_bytes.begin(), map.link_bytes.end());
    const double pitch = kPlotSide / double(std::max(map.mesh.width, map.mesh.height));
    width_ = double(map.mesh.width) * pitch;
    height_ = double(map.mesh.height) * pitch;
    room_ = std::max(width_, kLeastPlot);
    view_ = {{0, 0, map.mesh.width, map.mesh.height},
             {kMargin + kAxisRoom + (room_ - width_) / 2, kMargin + kHeadingHeight},
             pitch};
    const double legend_height = kLegendHeading + (kSteps + 2) * kLegendLine;
    page_ = {kMargin + kAxisRoom + room_ + kLegendGap + kLegendWidth + kMargin,
             kMargin + kHeadingHeight + std::max(height_ + kFooter, legend_height) + kMargin / 2};
    canvas_ = make_canvas({page_, format, "Link loads of " + map.title});
  }

  std::string draw() {
    draw_heading(*canvas_,
                 {"Link loads of " + map_.title, "busiest link " + std::to_string(most_) + " bytes",
                  std::string("Every tile in the colour of the busiest link ") +
                      (map_.switched ? "between it and a switch, a row a node" : "out of it") +
                      "; lines are widened to be seen."},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    const Box mesh = to_page(view_, view_.tiles);
    canvas_->box(mesh, filled(kSilicon));
    canvas_->begin_group({"stages", {}});
    for (const Rectangle& tiles : map_.stages) {
      canvas_->box(to_page(view_, tiles), {kNoColour, {kMuted, 0.6, false}, 0});
    }
    canvas_->end_group();
    draw_tiles();
    canvas_->box(mesh, {kNoColour, {kInk, 1.4, false}, 0});
    draw_axes(*canvas_, view_, map_.mesh);
    draw_legend();
    draw_scale_bar(
        *canvas_, view_,
        {{view_.corner.x + width_, view_.corner.y + height_ + 34}, std::min(width_, 160.0)});
    return canvas_->finish();
  }

 private:
  int step_at(std::int64_t x, std::int64_t y) const {
    const auto tile = static_cast<std::size_t>(y * map_.mesh.width + x);
    const auto first = map_.link_bytes.begin() + static_cast<std::ptrdiff_t>(kLinksOfATile * tile);
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

  void draw_legend() {
    Legend legend(*canvas_, {kMargin + kAxisRoom + room_ + kLegendGap, view_.corner.y, kLegendWidth,
                             height_});
    legend.heading("Bytes, up to");
    for (int step = kSteps - 1; step >= 0; --step) {
      const auto bytes = static_cast<std::int64_t>(
          std::llround(double(most_) * double(step + 1) / double(kSteps)));
      canvas_->box(legend.entry(std::to_string(bytes)), filled(kHeat[step]));
    }
    canvas_->box(legend.entry("none"), {kSilicon, {kHairline, 0.6, false}, 0});
  }

  const LinkHeatMap& map_;
  std::int64_t most_ = 0;
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
