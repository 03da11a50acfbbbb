#pragma once

#include <string>
#include <vector>

#include "model/rectangle.h"
#include "model/wafer.h"
#include "viz/canvas.h"
#include "viz/fabric.h"

namespace waferloom::viz {

/// How busy the links of a mesh are, and what stands on it.
struct LinkHeatMap {
  Wafer mesh;  ///< dead tiles included
  /// Share of the time in [0, 1] by link: 4 · (y · width + x) + direction (model/hardware.h) of the
  /// link out of tile (x, y).
  std::vector<double> link_busy;
  std::vector<Rectangle> stages;
  std::vector<FabricPort> ports{};
  std::vector<DeadLink> dead_links{};
  std::string title{};
  std::string facts{};    ///< of what ran, behind the busiest link; may be long
  bool switched = false;  ///< links of a tile to and from switches, not to its neighbours
};

/// Draws every tile in the colour of its busiest link out of it (or to or from a switch), in steps
/// from nothing to the busiest of all (the legend says where the scale ends), with the outlines of
/// the stages, ports, and dead tiles and links. Neighbours of one colour in a row are one box, and
/// so are rows that are alike; where tiles are large enough each is cut into the four directions.
/// The busiest link is ringed, and named with its share. Throws std::logic_error if there are
/// not four links a tile.
std::string draw_link_heat_map(const LinkHeatMap& map, PictureFormat format);

}  // namespace waferloom::viz
