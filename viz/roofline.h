#pragma once

#include <string>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// A hierarchical roofline (Williams, Waterman, Patterson 2009; DFModel, Fig. 18): what a chip
/// reaches against FLOP for each byte of every level that bytes go through.
struct RooflinePlot {
  /// A level's roof: intensity times its rate, up to the chip's peak.
  struct Roof {
    std::string name;        ///< "ddr", "network"
    double bytes_per_s = 0;  ///< infinite: no roof
  };
  /// Something that runs: one mark on its own level for each roof.
  struct Point {
    std::string name;
    double flop_per_s = 0;
    std::vector<double> intensities;  ///< FLOP/B, one for each roof; infinite ones have no mark
  };
  std::string title{};
  std::string facts{};
  double flop_per_s = 0;  ///< the flat roof
  std::vector<Roof> roofs{};
  std::vector<Point> points{};
};

inline constexpr std::size_t kMostRoofs = 4;
inline constexpr std::size_t kMostRoofPoints = 26;  ///< a letter for each

/// Both axes are logarithmic and hold all marks and all ridges. Throws RequestError for more
/// roofs or points than the limits; std::logic_error for a peak, a rate or a level that is not
/// above 0, and for another number of intensities than roofs.
std::string draw_roofline(const RooflinePlot& plot, PictureFormat format);

}  // namespace waferloom::viz
