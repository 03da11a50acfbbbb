#pragma once

#include <vector>

#include "placer/starts/rows/row_options.h"

namespace waferloom::placer {

/// The rows one above the other, to and fro, that cost least in wire and adapters at a time cap: a
/// dynamic programme over the first kernel of a row and the height that the rows before it take.
/// The cheapest few by an estimate that takes kernels of edges between rows to be as far from the
/// turn as from each other's row end; none whose estimate is `most` or more.
/// Dead tiles are stepped past; then rows begin at the wafer's edge, and depend on what is below
/// them, so fewer ways are followed. Fixed kernels and regions are not seen. O(kernels · bands ·
/// ends of a row · open ways).
std::vector<Placement> flat_rows(const SearchContext& context, const RowOptions& options,
                                 double most);

}  // namespace waferloom::placer
