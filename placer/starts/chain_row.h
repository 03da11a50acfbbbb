#pragma once

#include "placer/starts/starts.h"

namespace waferloom::placer {

/// A graph that is one path, laid in one row along the wafer's longer side: for every time cap that
/// can matter the cheapest executions (ChainViterbi), with a multiplier on thin sides where the row
/// would be too long. Caps are halved where the cost between two of them may still be lower, so
/// that without the multiplier the best row is exact. Emits legal placements, each cheaper than its
/// last; none for other graphs.
void chain_row(const SearchContext& context, const EmitPlacement& emit);

}  // namespace waferloom::placer
