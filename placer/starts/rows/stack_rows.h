#pragma once

#include <vector>

#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Rows of stacks: `order` is cut into consecutive rows, a row into consecutive columns, a column
/// is a stack of one to five kernels; rows run to and fro, columns up and down, so that consecutive
/// kernels stay close. Among all that fit the wafer under `shapes`, those with about the shortest
/// wire for some numbers of rows up to `most_rows`, at most three; none where none fits.
///
/// Dynamic programming over columns (Pareto fronts of width and wire, thinned) within a row, and
/// over rows (fronts of height and wire, thinned), first with sampled row heights, then with all
/// heights close to what came out. Edges within a row are priced as they will be, turns between
/// rows by their height. O(n·row length) a height, about a hundred heights.
std::vector<SlicingTree> stack_rows(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                    const std::vector<KernelIndex>& order, std::size_t most_rows);

}  // namespace waferloom::placer
