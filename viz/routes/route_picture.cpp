#include "viz/route_picture.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "model/report.h"
#include "model/text.h"
#include "viz/canvas/dead_tiles.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/text.h"
#include "viz/charts/link_heat.h"
#include "viz/floorplan/dead_links.h"
#include "viz/floorplan/ports.h"
#include "viz/floorplan/stage_facts.h"
#include "viz/routes/route_layers.h"

namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPlotSide = 760;
constexpr double kPortRoom = kPortMarkRoom;  // between mesh and axes
constexpr double kLeastPlot = 300;
constexpr double kLegendWidth = 206;
constexpr double kGap = 28;
constexpr double kFooter = 44;
constexpr double kCaption = 40;        // above a map of loads
constexpr double kBetween = 22;        // map and next caption
constexpr double kLeastMapRoom = 300;  // for captions over narrow maps
constexpr double kLeastLine = 1.5;     // of loads on a map

void check_picture(const RoutePicture& picture) {
  const Traffic& traffic = picture.traffic;
  if (!picture.tints.empty() && picture.tints.size() != traffic.blocks.size()) {
    throw std::logic_error("a picture of routes has one tint a block");
  }
  if (picture.routes.tensors.size() != traffic.tensors.size()) {
    throw std::logic_error("a picture of routes has the tensors of its traffic");
  }
  for (const RouteLoads& loads : picture.loads) check(LinkHeat{picture.mesh, loads.busy});
}

/// Page of a picture of routes: plan and its legend, then maps of loads with theirs.
class RoutePage {
 public:
  RoutePage(const RoutePicture& picture, PictureFormat format)
      : picture_(picture), scene_{picture, {}} {
    check_picture(picture);
    const Wafer& mesh = picture.mesh;
    const double pitch = kPlotSide / double(std::max(mesh.width, mesh.height));
    const double width = double(mesh.width) * pitch;
    const double height = double(mesh.height) * pitch;
    const double room = std::max(width, kLeastPlot);
    const double left = kMargin + kAxisRoom + kPortRoom;
    const double top = kMargin + kHeadingHeight + kPortRoom;
    scene_.view = {{0, 0, mesh.width, mesh.height}, {left + (room - width) / 2, top}, pitch};
    scene_.tensors = drawn_tensors(picture, scene_.view);
    legend_ = {left + room + kPortRoom + kGap, top, kLegendWidth, height};
    place_maps(std::max(height, kPlotSide / 2) + kPortRoom + kFooter);
    const double below = std::max({height + kPortRoom + kFooter, legend_height(), maps_bottom_});
    const double right = legend_.x + kLegendWidth + (maps_.empty() ? 0 : kGap + map_room_);
    page_ = {right + kMargin, top + below + kMargin / 2};
    canvas_ = make_canvas({page_, format, "Routes of " + picture.title});
  }

  std::string draw() {
    draw_heading(*canvas_, {"Routes of " + picture_.title, facts(), small_print()},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    draw_plan();
    draw_legend();
    for (std::size_t i = 0; i < maps_.size(); ++i) draw_map(picture_.loads[i], maps_[i]);
    return canvas_->finish();
  }

 private:
  std::string facts() const {
    std::size_t lanes = 0;
    for (const RoutedTensor& tensor : picture_.routes.tensors) lanes += tensor.lanes.size();
    std::string text =
        counted_text(scene_.tensors.size(), "tensor") + " in " + counted_text(lanes, "lane");
    if (picture_.loads.empty()) return text;
    const auto most = [&](const RouteLoads& loads) {
      return significant_text(LinkHeat{picture_.mesh, loads.busy}.most(), kFactDigits);
    };
    text += " · busiest link " + most(picture_.loads.back()) + " of the slowest stage's time";
    if (picture_.loads.size() > 1) text += ", before " + most(picture_.loads.front());
    return text;
  }

  std::string small_print() const {
    return (picture_.source.empty() ? "" : picture_.source + " · ") +
           "bands cover the tiles that lanes use, pale ones join lanes of a tensor that run near "
           "each other; short and narrow ones are widened to be seen";
  }

  void draw_plan() {
    const MeshView& view = scene_.view;
    const Box mesh = frame(view);
    canvas_->box(mesh, filled(kSilicon));
    draw_blocks(*canvas_, scene_);
    draw_dead_tiles(*canvas_, view, picture_.mesh.dead);
    draw_dead_links(*canvas_, view, picture_.dead_links);
    canvas_->push_clip(mesh);
    draw_tensors(*canvas_, scene_);
    const std::vector<Box> taken = draw_ranks(*canvas_, scene_);
    draw_block_names(*canvas_, scene_, taken);
    canvas_->pop_clip();
    canvas_->box(mesh, {kNoColour, {kInk, 1.4, false}, 0});
    draw_used_ports(*canvas_, scene_);
    draw_axes(*canvas_, view, picture_.mesh, kPortRoom);
    draw_scale_bar(*canvas_, view,
                   {{mesh.x + mesh.width, mesh.y + mesh.height + kPortRoom + 30},
                    std::min(mesh.width, 160.0)});
  }

  double legend_height() const { return 3 * kLegendHeading + 33 * kLegendLine; }

  void draw_legend() {
    Legend legend(*canvas_, legend_);
    explain_tensors(legend);
    explain_plan(legend);
    if (!maps_.empty()) explain_scale(legend);
  }

  void explain_tensors(Legend& legend) {
    legend.heading("Tensors by bytes × hops");
    legend.fact("most first", "lanes", kMuted);
    std::size_t others = 0;
    std::size_t other_lanes = 0;
    for (const DrawnTensor& tensor : scene_.tensors) {
      const RoutedTensor& routed = picture_.routes.tensors[tensor.tensor];
      if (tensor.rank) {
        const Box swatch = legend.entry(tensor_title(routed), std::to_string(routed.lanes.size()));
        draw_rank(*canvas_, middle_of(swatch), *tensor.rank);
      } else {
        ++others;
        other_lanes += routed.lanes.size();
      }
    }
    if (others == 0) return;
    canvas_->box(legend.entry(counted_text(others, "other"), std::to_string(other_lanes)),
                 filled(tensor_colour({})));
  }

  void explain_plan(Legend& legend) {
    legend.heading("Plan");
    const Colour grey = tensor_colour({});
    const Box near = legend.entry("lanes of one bundle, apart");
    canvas_->box(near, filled(faded(grey, kLooseAlpha)));
    canvas_->boxes({{near.x, near.y + 1, near.width, 1.2},
                    {near.x, near.y + 5, near.width, 1.2},
                    {near.x, near.y + 9, near.width, 1.2}},
                   grey);
    const Point middle = middle_of(legend.entry("at the consumer"));
    canvas_->polygon(
        {{middle.x + 5, middle.y}, {middle.x - 4, middle.y - 5}, {middle.x - 4, middle.y + 5}},
        filled(grey));
    if (!picture_.mesh.dead.empty()) draw_dead_box(*canvas_, legend.entry("dead tiles"));
    explain_dead_links(*canvas_, legend, picture_.dead_links);
  }

  void explain_scale(Legend& legend) {
    legend.heading("A link's time of a sample");
    legend.fact("1: that of the slowest stage", {}, kMuted);
    for (int step = kHeatSteps - 1; step >= 0; --step) {
      const double bound = heat_scale_.bounds[static_cast<std::size_t>(step)];
      const std::string text =
          std::isinf(bound)
              ? "more than " + significant_text(heat_scale_.bounds[kHeatSteps - 2], kFactDigits)
              : "up to " + significant_text(bound, kFactDigits);
      canvas_->box(legend.entry(text, bound > 1 ? "the link limits" : ""),
                   filled(heat_colour(step)));
    }
    canvas_->box(legend.entry("none"), {kSilicon, {kHairline, 0.6, false}, 0});
    explain_busiest_link(*canvas_, legend);
  }

  /// Maps one above the other beside the legend, as tall together as `height`.
  void place_maps(double height) {
    const Wafer& mesh = picture_.mesh;
    const auto count = static_cast<double>(picture_.loads.size());
    const double map_height = (height - count * kCaption - (count - 1) * kBetween) / count;
    constexpr double kWidest = kPlotSide / 2;
    const double pitch = std::min(map_height / double(mesh.height), kWidest / double(mesh.width));
    map_room_ = std::max(double(mesh.width) * pitch, kLeastMapRoom);
    double y = legend_.y;
    for (std::size_t i = 0; i < picture_.loads.size(); ++i) {
      maps_.push_back({scene_.view.tiles, {legend_.x + kLegendWidth + kGap, y + kCaption}, pitch});
      y += kCaption + double(mesh.height) * pitch + kBetween;
    }
    maps_bottom_ = y - legend_.y;
  }

  void draw_map(const RouteLoads& loads, const MeshView& view) {
    const LinkHeat heat{picture_.mesh, loads.busy, false, kLeastLine};
    const Box mesh = frame(view);
    const std::string busiest =
        heat.most() > 0 ? "busiest link " + significant_text(heat.most(), kFactDigits) +
                              " of the slowest stage: " + heat.name_of(heat.busiest()).substr(5)
                        : "no link carries anything";
    TextStyle style{{11, true}, kInk, TextStyle::Anchor::start, false, kNoColour};
    canvas_->text(fit_text(loads.title, style.face, map_room_), {mesh.x, mesh.y - 22}, style);
    style.face = {10, false};
    canvas_->text(fit_text(busiest, style.face, map_room_), {mesh.x, mesh.y - 8}, style);
    canvas_->box(mesh, filled(kSilicon));
    canvas_->begin_group({"stages", {}});
    for (const TrafficBlock& block : picture_.traffic.blocks) {
      canvas_->box(to_page(view, block.tiles), {kNoColour, {faded(kMuted, 0.5), 0.35, false}, 0});
    }
    canvas_->end_group();
    draw_link_heat(*canvas_, view, heat, heat_scale_);
    draw_dead_tiles(*canvas_, view, picture_.mesh.dead);
    draw_dead_links(*canvas_, view, picture_.dead_links);
    canvas_->box(mesh, {kNoColour, {kInk, 1, false}, 0});
    draw_busiest_link(*canvas_, view, heat, busiest);
  }

  const RoutePicture& picture_;
  RouteScene scene_;
  std::vector<MeshView> maps_;
  double maps_bottom_ = 0;
  Box legend_;
  HeatScale heat_scale_ = limit_scale();
  double map_room_ = 0;
  PageSize page_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_routes(const RoutePicture& picture, PictureFormat format) {
  return RoutePage(picture, format).draw();
}

}  // namespace waferloom::viz
