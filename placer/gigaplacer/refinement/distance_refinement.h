#pragma once

#include <cstddef>

#include "placer/gigaplacer/rows/row_layout.h"

namespace waferloom::placer {

/// Kernels in the window of which all orders are tried (GigaPlacer 3.4.2).
inline constexpr std::size_t kReorderWindow = 6;

/// L1 distance refinement (GigaPlacer 3.4.2): in every row, a window of kReorderWindow consecutive
/// kernels passes over the row and takes the best of all its orders; then longer runs are reversed
/// where that helps. Repeated until nothing helps. Shapes and rows stay, kernels keep their y.
/// Never lengthens the wire. Answers whether it shortened it.
/// A pass takes O(n·orders) (branch and bound) and O(n·longest row·links) steps.
bool refine_distance(const Neighbours& graph, RowLayout& layout);

}  // namespace waferloom::placer
