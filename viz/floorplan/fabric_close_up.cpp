#include <algorithm>

#include "viz/floorplan/dead_links.h"
#include "viz/floorplan/fabric_parts.h"

namespace waferloom::viz {
namespace {

constexpr std::int64_t kCloseUpTiles = 12;
constexpr double kBorder = 12;       // around the tiles, room for ports
constexpr double kLargestTile = 28;  // page units

bool is_dead(const std::vector<Rectangle>& dead, const Rectangle& tile) {
  return std::any_of(dead.begin(), dead.end(),
                     [&](const Rectangle& tiles) { return overlap(tiles, tile); });
}

/// Single tiles as squares with their links; dead ones dark and without links.
void draw_close_up_tiles(Canvas& canvas, const FabricScene& scene, const MeshView& view) {
  const Rectangle visible{view.tiles.x, view.tiles.y, view.tiles.width + 1, view.tiles.height + 1};
  std::vector<Rectangle> nearby;
  for (const Rectangle& tiles : scene.fabric.dead) {
    if (overlap(tiles, visible)) nearby.push_back(tiles);
  }
  const Wafer& mesh = scene.fabric.mesh;
  const double gap = view.pitch * 0.18;
  std::vector<Segment> links;
  std::vector<Box> alive;
  std::vector<Box> dead;
  for (std::int64_t x = view.tiles.x; x < view.tiles.x + view.tiles.width; ++x) {
    for (std::int64_t y = view.tiles.y; y < view.tiles.y + view.tiles.height; ++y) {
      const Box tile = to_page(view, {x, y, 1, 1});
      const Box body{tile.x + gap, tile.y + gap, tile.width - 2 * gap, tile.height - 2 * gap};
      if (is_dead(nearby, {x, y, 1, 1})) {
        dead.push_back(body);
        continue;
      }
      alive.push_back(body);
      const Point centre{tile.x + tile.width / 2, tile.y + tile.height / 2};
      if (x + 1 < mesh.width && !is_dead(nearby, {x + 1, y, 1, 1})) {
        links.push_back({centre, {centre.x + tile.width, centre.y}});
      }
      if (y + 1 < mesh.height && !is_dead(nearby, {x, y + 1, 1, 1})) {
        links.push_back({centre, {centre.x, centre.y - tile.height}});
      }
    }
  }
  canvas.lines(links, {kMesh, gap * 0.9, false});
  canvas.boxes(alive, {205, 213, 223});
  canvas.boxes(dead, kDead);
}

}  // namespace

std::vector<Segment> grid(const MeshView& view, const Wafer& mesh, const Extent& apart) {
  const Box box = to_page(view, {0, 0, mesh.width, mesh.height});
  std::vector<Segment> lines;
  for (std::int64_t x = 0; apart.width > 0 && x < mesh.width + apart.width; x += apart.width) {
    const double at = to_page(view, {std::min(x, mesh.width), 0, 0, 0}).x;
    lines.push_back({{at, box.y}, {at, box.y + box.height}});
  }
  for (std::int64_t y = 0; apart.height > 0 && y < mesh.height + apart.height; y += apart.height) {
    const double at = to_page(view, {0, std::min(y, mesh.height), 0, 0}).y;
    lines.push_back({{box.x, at}, {box.x + box.width, at}});
  }
  return lines;
}

Rectangle close_up_window(const Fabric& fabric, const std::vector<FabricPort>& ports) {
  const Wafer& mesh = fabric.mesh;
  Rectangle focus{0, 0, 1, 1};
  if (!ports.empty()) focus = port_tile(ports.front(), mesh);
  if (!fabric.dead_links.empty()) {
    focus = {fabric.dead_links.front().x, fabric.dead_links.front().y, 1, 1};
  }
  if (!fabric.dead.empty()) focus = fabric.dead.front();
  const std::int64_t width = std::min(kCloseUpTiles, mesh.width);
  const std::int64_t height = std::min(kCloseUpTiles, mesh.height);
  const std::int64_t x = focus.x + (focus.width - width) / 2;
  const std::int64_t y = focus.y + (focus.height - height) / 2;
  return {std::clamp<std::int64_t>(x, 0, mesh.width - width),
          std::clamp<std::int64_t>(y, 0, mesh.height - height), width, height};
}

void draw_close_up(Canvas& canvas, const FabricScene& scene, const Box& room) {
  const Rectangle& tiles = scene.close_up;
  const double pitch = std::min(
      kLargestTile, (room.width - 2 * kBorder) / double(std::max(tiles.width, tiles.height)));
  const MeshView view{tiles, {room.x + kBorder, room.y + kBorder}, pitch};
  const Box inner = frame(view);
  const Box border{inner.x - kBorder, inner.y - kBorder, inner.width + 24, inner.height + 24};
  canvas.push_clip(border);
  canvas.box(border, filled(kWhite));
  canvas.push_clip(inner);
  canvas.box(inner, filled(kSilicon));
  draw_close_up_tiles(canvas, scene, view);
  canvas.pop_clip();
  canvas.lines(grid(view, scene.fabric.mesh, scene.fabric.group), {kGroup, 1.2, false});
  std::vector<DeadLink> dead_links;
  for (const DeadLink& link : scene.fabric.dead_links) {
    if (overlap({link.x, link.y, 1, 1}, tiles)) dead_links.push_back(link);
  }
  draw_dead_links(canvas, view, dead_links);
  for (const FabricPort& port : scene.ports) {
    const Rectangle tile = port_tile(port, scene.fabric.mesh);
    if (overlap(tile, tiles)) {
      canvas.polygon(port_marker(port, to_page(view, tile), 8), filled(port_colour(port.kind)));
    }
  }
  canvas.pop_clip();
  canvas.box(border, {kNoColour, {kAdapter, 1, false}, 0});
}

}  // namespace waferloom::viz
