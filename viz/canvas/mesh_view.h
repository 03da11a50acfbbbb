#pragma once

#include <cstdint>

#include "model/placement.h"
#include "viz/canvas.h"

namespace waferloom::viz {

/// Which tiles a picture shows and where they lie on its page. Tiles count from the lower left
/// corner upwards, pages from the upper left downwards; this is the only place that turns them.
struct MeshView {
  Rectangle tiles;   ///< shown; may reach beyond the mesh
  Point corner;      ///< upper left corner of their picture
  double pitch = 1;  ///< page units a tile, the same in x and y
};

/// The page box of all that is shown.
Box frame(const MeshView& view);

/// The page box of some tiles, not clipped; coordinates of any size.
Box to_page(const MeshView& view, const Rectangle& tiles);

/// The smallest of 1, 2, 5, 10, 20, 50, … that is at least `least`.
std::int64_t nice_step(double least);

/// Tile counts along the bottom and the left of what is shown, for a mesh that starts at tile
/// (0, 0): nice steps and the full extent. Needs kAxisRoom units on both sides.
inline constexpr double kAxisRoom = 34;
/// `outset` keeps the ticks that far off.
void draw_axes(Canvas& canvas, const MeshView& view, const Wafer& mesh, double outset = 0);

/// A bar of a nice number of tiles, at most `longest` units long, its right end at `right_end`.
struct ScaleBar {
  Point right_end;
  double longest = 120;
};
void draw_scale_bar(Canvas& canvas, const MeshView& view, const ScaleBar& bar);

}  // namespace waferloom::viz
