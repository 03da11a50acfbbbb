#pragma once

#include <vector>

#include "viz/canvas/mesh_view.h"
#include "viz/fabric.h"
#include "viz/floorplan/ports.h"

namespace waferloom::viz {

inline constexpr Colour kDead{52, 58, 64};
inline constexpr Colour kMesh{160, 170, 182};
inline constexpr Colour kGroup{96, 108, 124};

/// How the mesh is drawn: lines every `step` tiles, so that lines are at least four units apart and
/// fall on whole pixels.
struct MeshScale {
  double pitch = 1;
  std::int64_t step = 1;
};

/// What the parts of a fabric's picture draw from.
struct FabricScene {
  const Fabric& fabric;
  std::vector<FabricPort> ports;
  MeshScale scale;
  MeshView view;
  Rectangle close_up;
};

/// Lines over the whole mesh every `apart` tiles (0: none), the last ones on the far edges.
std::vector<Segment> grid(const MeshView& view, const Wafer& mesh, const Extent& apart);

/// A window of a dozen tiles that shows a dead tile, else a dead link, else a port, else the lower
/// left corner.
Rectangle close_up_window(const Fabric& fabric, const std::vector<FabricPort>& ports);

/// Single tiles with their links, as many as the scene's close-up has, in the upper left of `room`.
void draw_close_up(Canvas& canvas, const FabricScene& scene, const Box& room);

}  // namespace waferloom::viz
