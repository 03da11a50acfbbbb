#pragma once

#include "placer/starts/starts.h"

namespace waferloom::placer {

/// Kernels one by one into the maximal free rectangles of what is neither dead nor taken, near to
/// their neighbours and flush with a corner; the least time cap at which all find a place, by
/// doubling and bisection. Keeps all constraints. O(kernels · free rectangles · shapes) a cap.
void clear_start(const SearchContext& context, const EmitPlacement& emit);

}  // namespace waferloom::placer
