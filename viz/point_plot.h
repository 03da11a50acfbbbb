#pragma once

#include <string>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// Points of two figures, with a front through some of them.
struct PointPlot {
  struct Mark {
    double x = 0;
    double y = 0;
    std::string tooltip{};  ///< of an SVG, for points of the front
  };
  std::string title{};
  std::string facts{};
  std::string x_title{};
  std::string y_title{};
  std::vector<Mark> points{};        ///< at least one
  std::vector<std::size_t> front{};  ///< indices of points, in the order of x
  bool more_x_is_better = false;     ///< on which side of the front its steps lie
};

/// Draws them on linear axes that hold all of them; the front's marks are larger and joined by
/// steps. Throws RequestError for no point, or one that is not finite. O(points).
std::string draw_point_plot(const PointPlot& plot, PictureFormat format);

}  // namespace waferloom::viz
