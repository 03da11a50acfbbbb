#pragma once

#include <vector>

#include "model/wafer.h"

namespace waferloom::placer {

/// The maximal free rectangles of a plane on which pieces are put one by one (the MaxRects
/// structure: Jylänki, A Thousand Ways to Pack the Bin, 2010): none lies in another one, and every
/// free place for a rectangle lies in one.
class FreeRectangles {
 public:
  /// Begins with rectangles none of which lies in another one.
  explicit FreeRectangles(std::vector<Rectangle> free) : free_(std::move(free)) {}

  const std::vector<Rectangle>& all() const { return free_; }
  /// Takes tiles away. O(free + cut · (cut + beside)), cut being those that share tiles with it,
  /// beside those that touch it.
  void cover(const Rectangle& tiles);

 private:
  std::vector<Rectangle> free_;
  std::vector<Rectangle> parts_;  ///< scratch
  std::vector<Rectangle> near_;   ///< scratch
};

}  // namespace waferloom::placer
