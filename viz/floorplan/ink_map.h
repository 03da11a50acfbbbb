#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// A curve with its stroke's width.
struct InkedCurve {
  Curve curve;
  double width = 1;
};

/// Where an area of a page is drawn on, in cells of one unit and a half, for text to keep clear of.
/// O(area + length of the curves) to make, O(blocks) to ask (a summed-area table: Crow, 1984).
class InkMap {
 public:
  InkMap(const Box& area, const std::vector<InkedCurve>& curves, const std::vector<Box>& boxes);

  /// Adds a box for which there is no room in the table. The first few dozen are kept.
  void block(const Box& box);

  /// Cells under a box that are drawn on, those of blocks counted once more; what lies beyond the
  /// area counts as clear.
  std::int64_t under(const Box& box) const;

 private:
  void mark(const Box& box, std::vector<std::uint8_t>& cells) const;

  Box area_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<std::int32_t> sums_;  ///< of the cells above and left of a corner
  std::vector<Box> blocks_;
};

}  // namespace waferloom::viz
