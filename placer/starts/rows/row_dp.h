#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// How kernels are dealt into rows.
struct RowPattern {
  std::size_t rows = 0;  ///< exactly so many; 0: as many as are best
  bool columns = false;  ///< rows stand upright
  bool operator==(const RowPattern&) const = default;
};

/// The lowest packing of `order`, cut into consecutive rows (GigaPlacer Algorithms 1 and 2 on shape
/// curves), every other row reversed so that consecutive kernels stay close. Nothing if it does not
/// fit the wafer under `shapes`. O(n²·side) vector operations, times rows if their number is given.
std::optional<SlicingTree> row_dp(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                  const std::vector<KernelIndex>& order, const RowPattern& pattern);

}  // namespace waferloom::placer
