#pragma once

#include <vector>

#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Rows of stacks. `order` is cut into consecutive rows, and a row into consecutive columns. A
/// column is a stack of one to five kernels. Rows run to and fro, columns up and down, so
/// consecutive kernels stay close. Returns at most three layouts, none if none fits the wafer under
/// `shapes`: those with about the shortest wire for some numbers of rows up to `most_rows`.
///
/// Two dynamic programs: over columns within a row (Pareto fronts of width and wire, thinned), and
/// over rows (fronts of height and wire, thinned). Row heights are sampled first; then all heights
/// near the best ones are tried. Edges within a row have their exact price, turns between rows are
/// priced by the rows' height. O(n·row length) a height, about a hundred heights.
std::vector<SlicingTree> stack_rows(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                    const std::vector<KernelIndex>& order, std::size_t most_rows);

}  // namespace waferloom::placer
