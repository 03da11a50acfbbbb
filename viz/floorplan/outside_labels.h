#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// A kernel that has no room for its name.
struct LabelWish {
  std::size_t kernel = 0;
  std::string text;
  Box box;             ///< of the kernel, as far as it is seen
  bool first = false;  ///< comes before others where there are not enough places
};

/// A name beside the mesh, with a line to its kernel.
struct OutsideLabel {
  std::size_t kernel = 0;
  std::string text;
  Point site;          ///< in the kernel
  Point place;         ///< where the line ends and the text begins
  bool above = false;  ///< the mesh, read upwards; else on its right
};

/// Names beside the mesh, and the room that they take there.
struct OutsideLabels {
  std::vector<OutsideLabel> labels;
  double right = 0;
  double above = 0;
  std::vector<std::size_t> left_out;  ///< kernels that got no place
};

/// Gives names places on the right of the mesh and above it, one a line of text, so that the lines
/// to their kernels are shortest in sum and hence, were it not for `avoid`, do not cross (boundary
/// labelling: Bekos et al., 2007). Lines keep off the boxes to `avoid` where they can. If there are
/// more wishes than places, those that come first alone are served.
OutsideLabels place_outside(std::vector<LabelWish> wishes, const Box& mesh,
                            const std::vector<Box>& avoid);

/// Draws them moved by `by`.
void draw_outside_labels(Canvas& canvas, const OutsideLabels& labels, const Point& by);

}  // namespace waferloom::viz
