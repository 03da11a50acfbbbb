#pragma once

#include "placer/starts/starts.h"

namespace waferloom::placer {

/// Slicing trees by recursive bisection (Breuer's min-cut placement, with the pull of what lies
/// outside of a part as Dunlop and Kernighan's terminal propagation): each part of the wafer is cut
/// across its longer side, its kernels divided by area so that few edges cross, level by level.
/// From several orders of kernels; each tree at the least time it fits. For any number of kernels:
/// O(edges · log² kernels) a tree, and the shape curves of its nodes at some twenty time caps.
void bisection_start(const SearchContext& context, const EmitPlacement& emit);

}  // namespace waferloom::placer
