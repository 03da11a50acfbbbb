#pragma once

#include <vector>

#include "model/wafer.h"
#include "viz/canvas.h"
#include "viz/canvas/mesh_view.h"

namespace waferloom::viz {

/// Diagonal lines that fill a box.
std::vector<Segment> hatch(const Box& box, double spacing);

/// What dead tiles look like in a box of a legend or a plan: hatched where that can be seen.
void draw_dead_box(Canvas& canvas, const Box& box);

/// Dead tiles, one group of boxes; single ones of a large mesh are drawn large enough to be seen.
void draw_dead_tiles(Canvas& canvas, const MeshView& view, const std::vector<Rectangle>& dead);

}  // namespace waferloom::viz
