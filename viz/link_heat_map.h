#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/rectangle.h"
#include "model/wafer.h"
#include "viz/canvas.h"

namespace waferloom::viz {

/// How much the links of a mesh carry, and what stands on it.
struct LinkHeatMap {
  Wafer mesh;
  /// Bytes by link: 4 · (y · width + x) + direction of the link out of tile (x, y).
  std::vector<std::int64_t> link_bytes;
  std::vector<Rectangle> stages;
  std::string title;
  bool switched = false;  ///< links of a tile to and from switches, not to its neighbours
};

/// Draws every tile in the colour of its busiest link out of it (or to or from a switch), in steps
/// from nothing to the busiest of all, with the outlines of the stages. Neighbours of one colour
/// are one box. Throws std::invalid_argument if there are not four links a tile.
std::string draw_link_heat_map(const LinkHeatMap& map, PictureFormat format);

}  // namespace waferloom::viz
