#pragma once

#include <string>

#include "model/placement.h"
#include "model/problem.h"
#include "viz/canvas.h"

namespace waferloom::viz {

struct FloorplanOptions {
  enum class Colour {
    type,  ///< conv, dblock, cblock
    slack  ///< how much faster than the slowest kernel, in % of its time
  };
  Colour colour = Colour::type;
  std::string source{};          ///< names the files, in the small print; may be empty
  double png_scale = kPngScale;  ///< pixels of a PNG per page unit
};

/// Draws a placement, legal or not: kernels to scale on the wafer (names and sizes where they fit),
/// edges between centres as arrows whose weight follows the tensor's size on a log scale, in arcs
/// where they skip kernels of a row, those with adapter mismatches in a colour of their own with
/// the number on them where there is room, kernels that touch a network input or output,
/// utilisation, legend, scale and score, whose total only legal placements have. What breaks a rule
/// (overlap, out of bounds, memory) is outlined in red and shared tiles are hatched; kernels with
/// execution parameters out of range have no size and are only listed. At most a fifth of the
/// wafer's sides is shown beyond its edges. In an SVG each drawn kernel is one group of class
/// "kernel" with a tooltip and one rect, each edge a group of class "edge", each number one of
/// class "adapter". Throws std::invalid_argument if the placement has not one entry for each
/// kernel. O((n + m) log n + min(n m, 4 million)), plus the pairs that share columns where kernels
/// overlap.
std::string draw_floorplan(const Problem& problem, const Placement& placement, PictureFormat format,
                           const FloorplanOptions& options = {});

}  // namespace waferloom::viz
