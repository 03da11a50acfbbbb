#include "viz/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/text.h"
#include "model/wafer.h"
#include "viz/canvas/legend.h"
#include "viz/floorplan/dead_links.h"
#include "viz/floorplan/fabric_parts.h"

namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPlotSide = 700;   // longest side of the mesh on the page, about
constexpr double kLeastPlot = 260;  // room for the title above a narrow mesh
constexpr double kLegendWidth = 210;
constexpr double kLegendHeight = 390;
constexpr double kFooter = 52;  // ports, axis numbers and scale bar
constexpr std::int64_t kPortSpacing = 64;
constexpr double kLeastLineSpacing = 4;  // of lines for every tile; closer ones are a grey haze
constexpr Colour kRegion{0, 114, 178};
constexpr std::int64_t kMajorLine = 5;  // every so many lines one is darker, unless all are drawn

/// As MeshScale says, with the plot's longest side near kPlotSide.
MeshScale mesh_scale(const Wafer& mesh) {
  constexpr double kPixel = 1 / kPngScale;
  const double fitting = kPlotSide / double(std::max(mesh.width, mesh.height));
  const std::int64_t step =
      fitting >= kLeastLineSpacing ? 1 : nice_step(2 * kLeastLineSpacing / fitting);
  const double spacing = std::floor(fitting * double(step) / kPixel) * kPixel;
  return {spacing / double(step), step};
}

bool within(const Rectangle& tiles, const Wafer& mesh) {
  return tiles.x >= 0 && tiles.y >= 0 && tiles.width >= 1 && tiles.height >= 1 &&
         tiles.width <= mesh.width && tiles.height <= mesh.height &&
         tiles.x <= mesh.width - tiles.width && tiles.y <= mesh.height - tiles.height;
}

bool on_vertical_edge(const FabricPort& port) {
  return port.side == FabricPort::Side::left || port.side == FabricPort::Side::right;
}

void check(const Fabric& fabric) {
  const Wafer& mesh = fabric.mesh;
  if (std::min(mesh.width, mesh.height) < 1 || std::max(mesh.width, mesh.height) > kMaxWaferSide) {
    throw std::logic_error(
        fmt::format("a fabric's mesh has from 1 to {} tiles a side", kMaxWaferSide));
  }
  const bool dead_within = std::all_of(fabric.dead.begin(), fabric.dead.end(),
                                       [&](const Rectangle& tiles) { return within(tiles, mesh); });
  if (!dead_within) throw std::logic_error("dead tiles lie outside the fabric's mesh");
  const bool links_within =
      std::all_of(fabric.dead_links.begin(), fabric.dead_links.end(), [&](const DeadLink& link) {
        return within({link.x, link.y, 1, 1}, mesh);
      });
  if (!links_within) throw std::logic_error("a dead link lies outside the fabric's mesh");
  const bool regions_within =
      std::all_of(fabric.regions.begin(), fabric.regions.end(),
                  [&](const Rectangle& tiles) { return within(tiles, mesh); });
  if (!regions_within) throw std::logic_error("a region lies outside the fabric's mesh");
  for (const FabricPort& port : fabric.ports.value_or(std::vector<FabricPort>{})) {
    const std::int64_t extent = on_vertical_edge(port) ? mesh.height : mesh.width;
    if (port.tile < 0 || port.tile >= extent) {
      throw std::logic_error("a port lies outside the fabric's mesh");
    }
  }
  if (std::min(fabric.group.width, fabric.group.height) < 0) {
    throw std::logic_error("a fabric's groups have no negative extents");
  }
}

void draw_mesh(Canvas& canvas, const FabricScene& scene) {
  const Wafer& mesh = scene.fabric.mesh;
  const Box box = to_page(scene.view, {0, 0, mesh.width, mesh.height});
  const double spacing = scene.scale.pitch * double(scene.scale.step);
  canvas.begin_group({"mesh", {}});
  canvas.box(box, filled(kSilicon));
  canvas.lines(grid(scene.view, mesh, {scene.scale.step, scene.scale.step}),
               {kMesh, std::clamp(spacing * 0.1, 0.5, 0.8), false});
  if (scene.scale.step > 1) {
    const std::int64_t major = kMajorLine * scene.scale.step;
    canvas.lines(grid(scene.view, mesh, {major, major}), {kGroup, 0.6, false});
  }
  canvas.lines(grid(scene.view, mesh, scene.fabric.group), {kGroup, 0.9, false});
  canvas.box(box, {kNoColour, {kInk, 1.2, false}, 0});
  canvas.end_group();
}

/// Dead tiles at their true places, single ones swollen to what the eye can see.
void draw_dead(Canvas& canvas, const FabricScene& scene) {
  constexpr double kVisible = 1.6;
  std::vector<Box> boxes;
  boxes.reserve(scene.fabric.dead.size());
  for (const Rectangle& tiles : scene.fabric.dead) {
    Box box = to_page(scene.view, tiles);
    const double swell_x = std::max(0.0, kVisible - box.width);
    const double swell_y = std::max(0.0, kVisible - box.height);
    boxes.push_back(
        {box.x - swell_x / 2, box.y - swell_y / 2, box.width + swell_x, box.height + swell_y});
  }
  canvas.begin_group({"dead", {}});
  canvas.boxes(boxes, kDead);
  canvas.end_group();
}

/// The regions of a plan, numbered where there is room.
void draw_regions(Canvas& canvas, const FabricScene& scene) {
  constexpr double kNumberSize = 9;
  constexpr double kTint = 0.35;
  if (scene.fabric.regions.empty()) return;
  canvas.begin_group({"regions", {}});
  for (std::size_t i = 0; i < scene.fabric.regions.size(); ++i) {
    const Box box = to_page(scene.view, scene.fabric.regions[i]);
    canvas.box(box, {faded(kRegion, kTint), {kRegion, 1, false}, 0});
    if (std::min(box.width, box.height) < 2 * kNumberSize) continue;
    const Point centre = middle_of(box);
    canvas.text(std::to_string(i), {centre.x, centred_baseline({centre.y, kNumberSize})},
                {{kNumberSize, false}, kInk, TextStyle::Anchor::middle});
  }
  for (const Rectangle& tiles : scene.fabric.branches) {
    canvas.box(to_page(scene.view, tiles), {kNoColour, {kRegion, 1, true}, 0});
  }
  canvas.end_group();
}

/// A share as a percentage, rounded half up to two decimals; no dead tile rounds to none.
std::string dead_percent(std::int64_t part, std::int64_t whole) {
  const std::int64_t parts = 10'000;
  const bool is_none = part > 0 && 2 * part * parts < whole;
  return is_none ? "< 0.01 %" : percent_text({part, whole}, 2);
}

std::string extent_text(std::int64_t width, std::int64_t height) {
  return fmt::format("{} × {}", width, height);
}

void draw_legend(Canvas& canvas, const FabricScene& scene, const Box& place) {
  const Wafer& mesh = scene.fabric.mesh;
  const std::int64_t dead = covered_tiles(scene.fabric.dead, {0, 0, mesh.width, mesh.height});
  Legend legend(canvas, place);
  legend.heading("Fabric");
  const std::int64_t step = scene.scale.step;
  Box swatch =
      legend.entry("mesh lines", step == 1 ? "every tile" : fmt::format("every {} tiles", step));
  for (double x = 0; x <= swatch.width; x += swatch.height / 2) {
    canvas.lines({{{swatch.x + x, swatch.y}, {swatch.x + x, swatch.y + swatch.height}}},
                 {kMesh, 0.8, false});
  }
  for (double y = 0; y <= swatch.height; y += swatch.height / 2) {
    canvas.lines({{{swatch.x, swatch.y + y}, {swatch.x + swatch.width, swatch.y + y}}},
                 {kMesh, 0.8, false});
  }
  if (scene.fabric.group.width > 0 || scene.fabric.group.height > 0) {
    const Extent& group = scene.fabric.group;
    swatch = legend.entry("groups", extent_text(group.width, group.height) + " tiles");
    canvas.box(swatch, {kSilicon, {kGroup, 1.2, false}, 0});
  }
  swatch = legend.entry("dead tiles",
                        fmt::format("{} ({})", dead, dead_percent(dead, mesh.width * mesh.height)));
  canvas.box({swatch.x + 5, swatch.y, swatch.height, swatch.height}, filled(kDead));
  if (!scene.fabric.regions.empty()) {
    swatch = legend.entry("regions", std::to_string(scene.fabric.regions.size()));
    canvas.box(swatch, {faded(kRegion, 0.35), {kRegion, 1, false}, 0});
  }
  if (!scene.fabric.branches.empty()) {
    swatch = legend.entry("branches side by side", std::to_string(scene.fabric.branches.size()));
    canvas.box(swatch, {kNoColour, {kRegion, 1, true}, 0});
  }
  explain_dead_links(canvas, legend, scene.fabric.dead_links);
  explain_ports(canvas, legend, scene.ports, scene.fabric.ports ? "ports" : "ports (assumed)");
  legend.heading("Close-up");
  const Rectangle& tiles = scene.close_up;
  const auto range = [](std::int64_t first, std::int64_t length) {
    return fmt::format("{}–{}", first, first + length - 1);
  };
  legend.fact("columns " + range(tiles.x, tiles.width) + ", rows " + range(tiles.y, tiles.height),
              {}, kMuted);
  draw_close_up(canvas, scene, legend.bar(place.width));
}

std::string title_text(const Fabric& fabric) {
  const Wafer& mesh = fabric.mesh;
  return (fabric.name.empty() ? "Fabric of " : fabric.name + ": ") +
         extent_text(mesh.width, mesh.height) +
         (mesh.width * mesh.height == 1 ? " tile" : " tiles");
}

void draw_title(Canvas& canvas, const FabricScene& scene, double page_width) {
  const Wafer& mesh = scene.fabric.mesh;
  const std::string facts = counted_text(mesh.width * mesh.height, "tile") + " · " +
                            counted_text(scene.ports.size(), "port");
  const std::string small_print =
      scene.fabric.ports ? ""
                         : "Port positions are assumed: every 64th row of both vertical edges.";
  draw_heading(canvas, {title_text(scene.fabric), facts, small_print},
               {kMargin, kMargin, page_width - 2 * kMargin, kHeadingHeight});
}

}  // namespace

std::vector<FabricPort> assumed_ports(const Wafer& mesh) {
  std::vector<FabricPort> ports;
  for (const auto side : {FabricPort::Side::left, FabricPort::Side::right}) {
    for (std::int64_t row = std::min(kPortSpacing, mesh.height) / 2; row < mesh.height;
         row += kPortSpacing) {
      ports.push_back({side, row});
    }
  }
  return ports;
}

std::string draw_fabric(const Fabric& fabric, PictureFormat format) {
  check(fabric);
  const Wafer& mesh = fabric.mesh;
  const MeshScale scale = mesh_scale(mesh);
  const double width = double(mesh.width) * scale.pitch;
  const double height = double(mesh.height) * scale.pitch;
  const double room_width = std::max(width, kLeastPlot);
  const double top = kMargin + kHeadingHeight + kPortSize + 4;
  const double left = kMargin + kAxisRoom + kPortSize;
  const double legend_x = left + room_width + kPortSize + 26;
  const PageSize page{legend_x + kLegendWidth + kMargin,
                      top + std::max(height + kFooter, kLegendHeight) + kMargin / 2};
  FabricScene scene{fabric, fabric.ports.value_or(assumed_ports(mesh)), scale, {}, {}};
  // A quarter unit off, lines of half a unit cover whole pixels of a PNG.
  scene.view = {{0, 0, mesh.width, mesh.height},
                {left + std::floor((room_width - width) / 2) + 0.25, top + 0.25},
                scale.pitch};
  scene.close_up = close_up_window(fabric, scene.ports);

  const auto canvas = make_canvas({page, format, title_text(fabric)});
  draw_title(*canvas, scene, page.width);
  draw_mesh(*canvas, scene);
  draw_dead(*canvas, scene);
  draw_regions(*canvas, scene);
  draw_dead_links(*canvas, scene.view, fabric.dead_links);
  draw_ports(*canvas, scene.view, mesh, scene.ports);
  draw_axes(*canvas, scene.view, mesh, kPortSize + 2);
  if (scene.close_up != scene.view.tiles) {
    canvas->box(to_page(scene.view, scene.close_up), {kNoColour, {kAdapter, 1, false}, 0});
  }
  draw_legend(*canvas, scene, {legend_x, top, kLegendWidth, kLegendHeight});
  draw_scale_bar(*canvas, scene.view,
                 {{scene.view.corner.x + width, top + height + 38}, std::min(width, 160.0)});
  return canvas->finish();
}

}  // namespace waferloom::viz
