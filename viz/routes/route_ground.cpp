// What routes lie on: blocks with their names, and the ports beyond the mesh.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "viz/floorplan/floorplan_labels.h"
#include "viz/floorplan/ink_map.h"
#include "viz/floorplan/ports.h"
#include "viz/routes/route_layers.h"

namespace waferloom::viz {
namespace {

constexpr double kFaint = 0.62;  // share of white
constexpr double kOneMark = 40;  // ports less apart have one mark, page units

Colour block_fill(const RouteScene& scene, std::size_t block) {
  const std::vector<Colour>& tints = scene.picture.tints;
  return tints.empty() ? mix(kHairline, kWhite, 0.4) : mix(tints[block], kWhite, kFaint);
}

/// The port beyond a tile on the mesh's edge.
FabricPort port_at(const TilePlace& tile, const Wafer& mesh) {
  using Side = FabricPort::Side;
  if (tile.x == 0) return {Side::left, tile.y};
  if (tile.x == mesh.width - 1) return {Side::right, tile.y};
  return {tile.y == 0 ? Side::bottom : Side::top, tile.x};
}

/// A mark of what comes in or goes out beyond a port, clear of other marks.
class PortMarks {
 public:
  PortMarks(Canvas& canvas, const RouteScene& scene) : canvas_(canvas), scene_(scene) {}

  void add(const FabricPort& port, const std::string& text) {
    const bool upright =
        port.side == FabricPort::Side::left || port.side == FabricPort::Side::right;
    Box place = beyond(port);
    const auto taken = [&](const Box& other) {
      return std::abs(place.x - other.x) < place.width &&
             std::abs(place.y - other.y) < place.height;
    };
    while (std::any_of(placed_.begin(), placed_.end(), taken)) {
      (upright ? place.y : place.x) += kLength / 2;
    }
    draw_terminal_mark(canvas_, place, text, upright);
    placed_.push_back(place);
  }

 private:
  static constexpr double kLength = 17;
  static constexpr double kWidth = 9;

  Box beyond(const FabricPort& port) const {
    constexpr double kOff = kPortSize + 2;
    const Box tile = to_page(scene_.view, port_tile(port, scene_.picture.mesh));
    const Point middle = middle_of(tile);
    const Box upright{0, middle.y - kLength / 2, kWidth, kLength};
    const Box level{middle.x - kLength / 2, 0, kLength, kWidth};
    switch (port.side) {
      case FabricPort::Side::left:
        return {tile.x - kOff - kWidth, upright.y, kWidth, kLength};
      case FabricPort::Side::right:
        return {tile.x + tile.width + kOff, upright.y, kWidth, kLength};
      case FabricPort::Side::bottom:
        return {level.x, tile.y + tile.height + kOff, kLength, kWidth};
      case FabricPort::Side::top:
        break;
    }
    return {level.x, tile.y - kOff - kWidth, kLength, kWidth};
  }

  Canvas& canvas_;
  const RouteScene& scene_;
  std::vector<Box> placed_;
};

/// Ports that lanes use, by side and by what they do there.
struct UsedPorts {
  std::map<FabricPort::Side, std::set<std::int64_t>> all;
  std::map<std::pair<std::string, FabricPort::Side>, std::set<std::int64_t>> marked;
};

UsedPorts used_ports(const RoutePicture& picture) {
  UsedPorts used;
  for (std::size_t i = 0; i < picture.routes.tensors.size(); ++i) {
    const bool is_input = picture.traffic.tensors[i].kind == TensorKind::input;
    for (const RoutedLane& lane : picture.routes.tensors[i].lanes) {
      if (!lane.port) continue;
      const FabricPort port = port_at(is_input ? lane.from : lane.to, picture.mesh);
      used.all[port.side].insert(port.tile);
      used.marked[{is_input ? "in" : "out", port.side}].insert(port.tile);
    }
  }
  return used;
}

}  // namespace

void draw_blocks(Canvas& canvas, const RouteScene& scene) {
  const std::vector<TrafficBlock>& blocks = scene.picture.traffic.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Colour fill = block_fill(scene, i);
    canvas.begin_group({"kernel", blocks[i].name + ": " + extent_text(blocks[i].tiles)});
    canvas.box(to_page(scene.view, blocks[i].tiles), {fill, {mix(fill, kInk, 0.3), 0.6, false}, 0});
    canvas.end_group();
  }
}

void draw_block_names(Canvas& canvas, const RouteScene& scene, const std::vector<Box>& taken) {
  std::vector<Box> ink = taken;
  for (const DrawnTensor& tensor : scene.tensors) {
    for (const RouteBundle& bundle : tensor.bundles) {
      for (const Box& box : bundle_boxes(scene.view, bundle)) ink.push_back(box);
    }
  }
  const InkMap map(frame(scene.view), {}, ink);
  canvas.begin_group({"labels", {}});
  const std::vector<TrafficBlock>& blocks = scene.picture.traffic.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Box box = to_page(scene.view, blocks[i].tiles);
    const auto label = fit_inside(label_text(blocks[i].name, {}), box, map);
    if (label) write_label(canvas, *label, {0, 0}, block_fill(scene, i));
  }
  canvas.end_group();
}

void draw_used_ports(Canvas& canvas, const RouteScene& scene) {
  const UsedPorts used = used_ports(scene.picture);
  std::vector<FabricPort> ports;
  for (const auto& [side, tiles] : used.all) {
    for (const std::int64_t tile : tiles) ports.push_back({side, tile});
  }
  if (ports.empty()) return;
  draw_ports(canvas, scene.view, scene.picture.mesh, ports);
  PortMarks marks(canvas, scene);
  const double apart = kOneMark / scene.view.pitch;
  for (const auto& [key, tiles] : used.marked) {
    const std::vector<std::int64_t> all(tiles.begin(), tiles.end());
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin + 1;
      while (end < all.size() && double(all[end] - all[end - 1]) < apart) ++end;
      marks.add({key.second, all[(begin + end) / 2]}, key.first);
      begin = end;
    }
  }
}

}  // namespace waferloom::viz
