#pragma once

#include <string>
#include <vector>

#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"
#include "viz/fabric.h"

namespace waferloom::viz {

inline constexpr Colour kDramPort{197, 90, 17};
inline constexpr double kPortSize = 6;

/// What the markers of a kind of ports are filled with.
inline Colour port_colour(FabricPort::Kind kind) {
  return kind == FabricPort::Kind::dram ? kDramPort : kPort;
}

/// The tile that a port is attached to.
Rectangle port_tile(const FabricPort& port, const Wafer& mesh);

/// A triangle outside the mesh that points at its tile.
std::vector<Point> port_marker(const FabricPort& port, const Box& tile, double size);

/// Markers of ports around the mesh.
void draw_ports(Canvas& canvas, const MeshView& view, const Wafer& mesh,
                const std::vector<FabricPort>& ports);

/// An entry of the legend for each kind of ports, those without a kind under a name; that name and
/// 0 where there is none at all.
void explain_ports(Canvas& canvas, Legend& legend, const std::vector<FabricPort>& ports,
                   const std::string& plain);

}  // namespace waferloom::viz
