#pragma once

#include "placer/gigaplacer/rows/row_layout.h"
#include "placer/gigaplacer/time/shape_cache.h"

namespace waferloom::placer {

/// Lowers a layout's compute time without widening anything: as long as all kernels that are
/// slowest have a faster shape that is no wider than they are and no higher than their row, they
/// take it. A cap from the sweep seldom lies on a step of the kernels' times; this finds the steps
/// below it. Rows are packed again from their left ends; centres move by what kernels became
/// narrower, and by half tiles where a side changed parity, so that the caller has to look at the
/// total. Signatures change. Answers whether the time fell. Every step takes a few shape fronts.
bool tighten_time(ShapeCache& cache, RowLayout& layout);

}  // namespace waferloom::placer
