#pragma once

#include "placer/starts/starts.h"

namespace waferloom::placer {

/// Consecutive kernels in rows, there and back, with few changes of signature: flat_rows at time
/// caps from a geometric grid and around the best of them, then folded_rows at caps below it.
/// For problems of at most 400 kernels, none a list of shapes, without fixed kernels and regions;
/// emits nothing for others. Steps past dead tiles.
void signature_dp(const SearchContext& context, const EmitPlacement& emit);

}  // namespace waferloom::placer
