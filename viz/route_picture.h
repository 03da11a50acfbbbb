#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/wafer.h"
#include "viz/canvas.h"
#include "viz/fabric.h"

namespace waferloom::viz {

/// How long the links of a mesh are busy with a sample, under some routes.
struct RouteLoads {
  std::string title;  ///< what routes these are
  /// Of what the slowest stage needs of a sample, by link: 4 · (y · width + x) + direction
  /// (model/hardware.h) of the link out of tile (x, y). May be more than 1.
  std::vector<double> busy;
};

/// Routes of a traffic, and what to compare them with.
struct RoutePicture {
  Wafer mesh;  ///< dead tiles included
  std::vector<DeadLink> dead_links{};
  const Traffic& traffic;
  const Routes& routes;             ///< that verify_routes has nothing against
  std::vector<Colour> tints{};      ///< of the traffic's blocks, for each one; empty: of none
  std::vector<RouteLoads> loads{};  ///< one above the other; the planned ones are the last
  std::string title{};              ///< what was routed
  std::string source{};             ///< files and hardware, in the small print
};

/// A placement with its routes, which verify_routes has nothing against.
struct RoutedPlacement {
  const Problem& problem;
  const Hardware& hardware;
  const Traffic& traffic;
  const Routes& routes;
  /// Of a sample, by link, where its tensors go in dimension order; empty: not known.
  std::vector<std::int64_t> dimension_order_bytes{};
};
/// What to draw of it: its routes, and beside the loads of links those in dimension order. What it
/// is made of has to outlive it.
RoutePicture route_picture(const RoutedPlacement& routed);

/// Draws the mesh with its blocks, faint, and on it the tiles that lanes use, of each tensor in one
/// colour: the twelve whose lanes load links most (bytes times hops) have colours of their own, a
/// number and a line in the legend, all others are grey. Arrowheads are at the consumers, marks say
/// where inputs come in and outputs go out. Beside it, for every entry of `loads`, a map of the
/// links' loads on one common scale, with the busiest link and its figure. In an SVG each tensor
/// with lanes is one group of class "tensor" with a tooltip. Throws std::logic_error if tints
/// are not one a block, routes not those of the traffic's tensors, or loads not four a tile.
std::string draw_routes(const RoutePicture& picture, PictureFormat format);

}  // namespace waferloom::viz
