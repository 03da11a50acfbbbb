#include "viz/floorplan/ports.h"

#include <algorithm>
#include <utility>

namespace waferloom::viz {

Rectangle port_tile(const FabricPort& port, const Wafer& mesh) {
  switch (port.side) {
    case FabricPort::Side::left:
      return {port.inset, port.tile, 1, 1};
    case FabricPort::Side::right:
      return {mesh.width - 1 - port.inset, port.tile, 1, 1};
    case FabricPort::Side::bottom:
      return {port.tile, port.inset, 1, 1};
    case FabricPort::Side::top:
      break;
  }
  return {port.tile, mesh.height - 1 - port.inset, 1, 1};
}

std::vector<Point> port_marker(const FabricPort& port, const Box& tile, double size) {
  const Point centre{tile.x + tile.width / 2, tile.y + tile.height / 2};
  const double half = size * 0.6;
  switch (port.side) {
    case FabricPort::Side::left: {
      const double x = tile.x - 1;
      return {{x, centre.y}, {x - size, centre.y - half}, {x - size, centre.y + half}};
    }
    case FabricPort::Side::right: {
      const double x = tile.x + tile.width + 1;
      return {{x, centre.y}, {x + size, centre.y - half}, {x + size, centre.y + half}};
    }
    case FabricPort::Side::bottom: {
      const double y = tile.y + tile.height + 1;
      return {{centre.x, y}, {centre.x - half, y + size}, {centre.x + half, y + size}};
    }
    case FabricPort::Side::top:
      break;
  }
  const double y = tile.y - 1;
  return {{centre.x, y}, {centre.x - half, y - size}, {centre.x + half, y - size}};
}

void draw_ports(Canvas& canvas, const MeshView& view, const Wafer& mesh,
                const std::vector<FabricPort>& ports) {
  canvas.begin_group({"ports", {}});
  for (const FabricPort& port : ports) {
    const Box tile = to_page(view, port_tile(port, mesh));
    canvas.polygon(port_marker(port, tile, kPortSize), filled(port_colour(port.kind)));
  }
  canvas.end_group();
}

void explain_ports(Canvas& canvas, Legend& legend, const std::vector<FabricPort>& ports,
                   const std::string& plain) {
  using Kind = FabricPort::Kind;
  const std::pair<Kind, std::string> names[] = {
      {Kind::any, plain}, {Kind::host, "host ports"}, {Kind::dram, "DRAM ports"}};
  for (const auto& [kind, name] : names) {
    const auto number =
        std::count_if(ports.begin(), ports.end(),
                      [kind = kind](const FabricPort& port) { return port.kind == kind; });
    const bool says_none = kind == Kind::any && ports.empty();
    if (number == 0 && !says_none) continue;
    const Box swatch = legend.entry(name, std::to_string(number));
    canvas.polygon(port_marker({FabricPort::Side::left, 0},
                               {swatch.x + 14, swatch.y + swatch.height / 2, 0, 0}, 8),
                   filled(port_colour(kind)));
  }
}

}  // namespace waferloom::viz
