#pragma once

#include "placer/gigaplacer/rows/row_layout.h"

namespace waferloom::placer {

/// Slides that shorten the wire of a layout without changing shapes, rows or the order within
/// them: each row as a whole to the side, each kernel up and down in its row, and with
/// `open_gaps` also runs at a row's ends and single kernels to the side, between their neighbours.
/// Each slide goes to the best place, a median of where its connections pull; repeated until
/// nothing helps. Never lengthens the wire. Answers whether it shortened it. O(m log m) a pass.
bool slide(const Neighbours& graph, RowLayout& layout, bool open_gaps);

/// Packs the row's kernels one after the other from x, keeping their order.
void pack_row(RowLayout& layout, const LaidRow& row, std::int64_t x);

}  // namespace waferloom::placer
