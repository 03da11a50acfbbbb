#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/run_control.h"

namespace waferloom::placer {

/// Pieces that may slide along one axis but not past each other, and what pulls at them. Positions
/// are those of a piece's lower end, in tiles.
struct AxisWire {
  /// Costs `price` · |2 · (position of a − position of b) + offset|.
  struct Pull {
    std::size_t a = 0;
    std::size_t b = 0;
    std::int64_t offset = 0;
    double price = 0;
  };
  /// Costs `price` · how far 2 · (position of the piece) is outside of low … high.
  struct Anchor {
    std::size_t piece = 0;
    std::int64_t low = 0;
    std::int64_t high = 0;
    double price = 0;
  };
  /// Position of `after` − position of `before` ≥ `least`.
  struct Gap {
    std::size_t before = 0;
    std::size_t after = 0;
    std::int64_t least = 0;
  };
  struct Range {
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  std::vector<Range> ranges;  ///< by piece: where it may be
  std::vector<Pull> pulls;
  std::vector<Anchor> anchors;
  std::vector<Gap> gaps;
};

/// Moves pieces from positions that keep all gaps and ranges to the cheapest ones that do; false
/// if none is cheaper. The cost is L♮-convex, so positions are best as soon as no set of pieces
/// gains by one tile up or down, all together; a minimum cut finds the set that gains most (Murota,
/// Discrete Convex Analysis, 2003, chapter 10). Steps as long as the widest range come first, then
/// half of that, and so on. Exact where prices are whole and all together below 2^53, and up to
/// rounding otherwise; once `stop` is raised only not worse. Some tens of cuts, each fast in
/// practice.
bool shorten(const AxisWire& wire, std::vector<std::int64_t>& positions, const RunControl& stop);

}  // namespace waferloom::placer
