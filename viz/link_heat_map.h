#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
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
  std::string facts{};    ///< about the run, printed after the busiest link; may be long
  bool switched = false;  ///< links of a tile to and from switches, not to its neighbours
};

/// What to draw of the links of a hardware, each busy a share of the time; `facts` of what ran.
LinkHeatMap hardware_links(const Hardware& hardware, std::vector<double> link_busy,
                           std::vector<Rectangle> stages, std::string title,
                           std::string facts = {});

/// Draws how busy links are. A tile has the colour of the busiest link out of it (on switched
/// hardware: to or from a switch). Colours go in steps from nothing to the busiest link of all; the
/// legend says where the scale ends. Tiles of a mesh that are large enough are cut into the four
/// directions. The outlines of stages, ports, dead tiles and dead links are drawn on top. The
/// busiest link is ringed, and named with its share. To keep files small, neighbouring tiles of one
/// colour share a box. Throws std::logic_error if there are not four links a tile.
std::string draw_link_heat_map(const LinkHeatMap& map, PictureFormat format);

}  // namespace waferloom::viz
