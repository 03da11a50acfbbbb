#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/wafer.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/mesh_view.h"

namespace waferloom::viz {

inline constexpr int kHeatSteps = 8;

/// Which colour a load has: those of a step are at most its bound and more than the one before.
struct HeatScale {
  std::array<double, kHeatSteps>
      bounds{};  ///< increasing; of the last step all that is left is, too

  /// -1 for nothing.
  int step_of(double load) const;
};
/// Steps of one size, up to `most`.
HeatScale even_scale(double most);
/// For loads that differ by orders of magnitude, where those above 1 are too large: bounds 0.02,
/// 0.05, 0.1, 0.2, 0.5, 1, 5, and no bound.
HeatScale limit_scale();

/// ColorBrewer's YlOrRd, from little to most.
Colour heat_colour(int step);

/// Loads of the links of a mesh, as layers of pictures draw them: whole maps, or small ones beside
/// something else.
struct LinkHeat {
  const Wafer& mesh;
  /// By link: 4 · (y · width + x) + direction (model/hardware.h) of the link out of tile (x, y).
  const std::vector<double>& loads;
  bool switched = false;    ///< links of a tile to and from switches, not to its neighbours
  double least_line = 2.4;  ///< smaller boxes are swollen so far, page units

  std::size_t busiest() const;  ///< of several the first
  double most() const;
  /// "link north of tile (3, 4)".
  std::string name_of(std::size_t link) const;
};

/// Throws std::logic_error if there are not four links a tile.
void check(const LinkHeat& heat);

/// Whether tiles are so large that each shows its four links.
bool shows_links(const LinkHeat& heat, const MeshView& view);

/// Every tile in the colour of its busiest link, neighbours of one colour as one box; large ones
/// cut into their four links. A group "loads".
void draw_link_heat(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                    const HeatScale& scale);

/// A ring in or, where tiles are small, around the busiest link's tile, and an arrow the way it
/// goes; on a white rim where dark links may lie below. A group "busiest" with a tooltip; nothing
/// if no link carried anything.
void draw_busiest_link(Canvas& canvas, const MeshView& view, const LinkHeat& heat,
                       const std::string& tooltip);

/// Its entry of a legend.
void explain_busiest_link(Canvas& canvas, Legend& legend);

}  // namespace waferloom::viz
