#include "viz/floorplan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "viz/canvas/dead_tiles.h"
#include "viz/canvas/legend.h"
#include "viz/floorplan/drawn_edges.h"
#include "viz/floorplan/floorplan_parts.h"
#include "viz/floorplan/ports.h"
#include "viz/floorplan/stage_facts.h"

namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPlotSide = 760;   // longest side of what is shown
constexpr double kLeastPlot = 300;  // room for the title above a narrow wafer
constexpr double kLegendWidth = 200;
constexpr double kLegendGap = 26;
constexpr double kFooter = 44;  // axis numbers and scale bar

/// The wafer, and beyond its edges at most a fifth of its sides where kernels stick out.
Rectangle shown_tiles(const Wafer& wafer, const FloorplanFacts& facts) {
  const std::int64_t reach_x = std::max<std::int64_t>(1, wafer.width / 5);
  const std::int64_t reach_y = std::max<std::int64_t>(1, wafer.height / 5);
  const Rectangle most{-reach_x, -reach_y, wafer.width + 2 * reach_x, wafer.height + 2 * reach_y};
  std::int64_t left = 0;
  std::int64_t bottom = 0;
  std::int64_t right = wafer.width;
  std::int64_t top = wafer.height;
  for (const KernelFacts& kernel : facts.kernels) {
    if (!kernel.tiles || !overlap(*kernel.tiles, most)) continue;
    const Rectangle seen = intersection(*kernel.tiles, most);
    left = std::min(left, seen.x);
    bottom = std::min(bottom, seen.y);
    right = std::max(right, seen.x + seen.width);
    top = std::max(top, seen.y + seen.height);
  }
  return {left, bottom, right - left, top - bottom};
}

/// Markers are of full size where kernels are about 60 units wide.
double detail_of(const FloorplanFacts& facts, double pitch) {
  double tiles = 0;
  for (const KernelFacts& kernel : facts.kernels) {
    if (kernel.tiles) tiles += double(kernel.tiles->width) * double(kernel.tiles->height);
  }
  const double side = std::sqrt(tiles / double(facts.kernels.size())) * pitch;
  return std::clamp(side / 60, 0.25, 1.1);
}

/// Empty silicon, with single tiles where they are large enough to see.
void draw_wafer(Canvas& canvas, const FloorplanScene& scene) {
  const Wafer& wafer = scene.problem.wafer();
  const Box box = to_page(scene.view, {0, 0, wafer.width, wafer.height});
  canvas.box(box, filled(kSilicon));
  if (scene.view.pitch < 4) return;
  std::vector<Segment> lines;
  for (std::int64_t x = 1; x < wafer.width; ++x) {
    const double at = to_page(scene.view, {x, 0, 0, 0}).x;
    lines.push_back({{at, box.y}, {at, box.y + box.height}});
  }
  for (std::int64_t y = 1; y < wafer.height; ++y) {
    const double at = to_page(scene.view, {0, y, 0, 0}).y;
    lines.push_back({{box.x, at}, {box.x + box.width, at}});
  }
  canvas.lines(lines, {kHairline, 0.6, false});
}

void draw_wafer_edge(Canvas& canvas, const FloorplanScene& scene) {
  const Wafer& wafer = scene.problem.wafer();
  canvas.box(to_page(scene.view, {0, 0, wafer.width, wafer.height}),
             {kNoColour, {kInk, 1.4, false}, 0});
}

/// What is decided before the page: edges, labels and the room that these take beside the mesh.
FloorplanScene arranged(const Problem& problem, const Placement& placement,
                        const FloorplanOptions& options) {
  if (options.network && (options.network->stages.size() != problem.kernel_count() ||
                          options.network->tensor_bytes.size() != problem.connections().size())) {
    throw std::logic_error("a network has one stage a kernel, one tensor a connection");
  }
  FloorplanScene scene{problem, placement, options, inspect(problem, placement), {}, 1, 1};
  scene.view.tiles = shown_tiles(problem.wafer(), scene.facts);
  const Rectangle& tiles = scene.view.tiles;
  scene.view.pitch = kPlotSide / double(std::max(tiles.width, tiles.height));
  scene.detail = detail_of(scene.facts, scene.view.pitch);
  scene.edges = drawn_edges(scene);
  scene.edge_scale = edge_scale(scene.edges, frame(scene.view));
  scale(scene.edges, scene.edge_scale);
  if (options.network) scene.stage_colours = stage_colours(*options.network);
  scene.labels = plan_labels(scene);
  return scene;
}

FloorplanRoom room_of(const FloorplanScene& scene) {
  const double body = std::max(frame(scene.view).height + kFooter, floorplan_legend_height(scene));
  return {scene.labels.outside.right, scene.labels.outside.above, body};
}

}  // namespace

FloorplanRoom floorplan_room(const Problem& problem, const Placement& placement,
                             const FloorplanOptions& options) {
  return room_of(arranged(problem, placement, options));
}

std::string draw_floorplan(const Problem& problem, const Placement& placement, PictureFormat format,
                           const FloorplanOptions& options) {
  FloorplanScene scene = arranged(problem, placement, options);
  const Box mesh = frame(scene.view);
  const FloorplanRoom room = room_of(scene);
  const FloorplanRoom& least = options.least_room;
  const double room_width = std::max(mesh.width, kLeastPlot);
  const double top = kMargin + kHeadingHeight + 10 + std::max(room.above, least.above);
  const double left = kMargin + kAxisRoom;
  scene.view.corner = {left + (room_width - mesh.width) / 2, top};
  move(scene.edges, scene.view.corner);
  const double legend_x = left + room_width + std::max(room.right, least.right) + kLegendGap;
  const double body = std::max(room.body, least.body);
  const PageSize page{legend_x + kLegendWidth + kMargin, top + body + kMargin / 2};

  const std::string& name = options.network ? options.network->network : problem.name();
  const std::string title = name.empty() ? "waferloom floorplan" : name;
  const auto canvas = make_canvas({page, format, title, options.png_scale});
  draw_floorplan_heading(*canvas, scene,
                         {kMargin, kMargin, page.width - 2 * kMargin, kHeadingHeight});
  canvas->push_clip(frame(scene.view));
  draw_wafer(*canvas, scene);
  draw_dead_tiles(*canvas, scene.view, problem.wafer().dead);
  draw_kernels(*canvas, scene);
  draw_edges(*canvas, scene);
  draw_tensor_labels(*canvas, scene);
  draw_labels(*canvas, scene);
  draw_constraints(*canvas, scene);
  canvas->pop_clip();
  draw_wafer_edge(*canvas, scene);
  draw_outside_labels(*canvas, scene.labels.outside, scene.view.corner);
  const bool has_ports = options.network && !options.network->ports.empty();
  if (has_ports) draw_ports(*canvas, scene.view, problem.wafer(), options.network->ports);
  draw_axes(*canvas, scene.view, problem.wafer(), has_ports ? kPortSize + 1 : 0);
  draw_floorplan_legend(*canvas, scene, {legend_x, top, kLegendWidth, body});
  draw_scale_bar(
      *canvas, scene.view,
      {{scene.view.corner.x + mesh.width, top + mesh.height + 30}, std::min(mesh.width, 160.0)});
  return canvas->finish();
}

}  // namespace waferloom::viz
