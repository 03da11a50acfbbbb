#pragma once

#include <cstdint>
#include <vector>

#include "placer/gigaplacer/rows/row_table.h"

namespace waferloom::placer {

/// Row-height minimisation (GigaPlacer 3.3): the least height, 1 … room height, in which all
/// kernels of the span stand side by side within the room's width, under the table's time cap and
/// the problem's memory limit; 0 if there is none. Binary search on the height: widths only
/// shrink as a row grows. `at_least` is a height that the answer is known not to be below.
/// O(log height).
///
/// For a guessed height each kernel takes its least width. The paper enumerates (h, w) over the
/// distinct ceilings, takes c = ⌊height/(h·w)⌋ − 1 (Eq. 7) and the least k (Eqs. 8, 9), and for
/// the rotated kernel shares the row's height among its convolutions in proportion to their work
/// (Eq. 10) before it looks for the least c (Eqs. 11, 12). The shape curve holds both exactly:
/// shape_front keeps, of all executions with pruned (h, w), those no other beats in both extents.
/// A rotated kernel that Eqs. 10-12 find is one execution with Σ 3·k ≤ row height; some member of
/// the front is at most as large both ways, so the curve's width is at most the paper's. The
/// proportional sharing can only lose against it and is not needed. Here both `gigaplacer` and
/// `gigaplacer-plus` do better than the paper's text.
std::int64_t least_row_height(const RowTable& table, const RowSpan& span,
                              std::int64_t at_least = 1);

/// The narrowest shape of the kernel at `position` in a row of `height`, and whether it lies
/// rotated; among equally narrow ones as fit() chooses. Demands that it fits into such a row.
FittedShape narrowest_shape(const RowTable& table, std::size_t position, std::int64_t height);

}  // namespace waferloom::placer
