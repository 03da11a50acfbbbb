#pragma once

#include "kernels/least_split.h"
#include "model/placement.h"
#include "placer/gigaplacer/rows/row_layout.h"

namespace waferloom::placer {

/// Adapter cost refinement beyond GigaPlacer 3.4.1 (match_protocols is the paper's). A kernel is
/// given the h, w and channel splits of kernels that it is connected to, and the rest of its
/// parameters are found again under the same time cap, in the row's height; its width stays, or
/// changes where the row has room and the total gains. Beside single kernels, runs: a kernel hands
/// its h and w on to the next kernels of the row, one after the other in either direction, and the
/// best beginning of that run is kept, which leaves the local optima that single changes are caught
/// in. Repeated until nothing helps.
///
/// `limits` are those that all kernels share; each adds the room of its own buffers.
/// `limits.time` must be at least the layout's compute time: no kernel becomes slower than it.
/// Never raises distance·weight + adapter·weight. Answers whether it lowered it.
/// A pass takes about O(n·run·links of a row).
bool refine_adapters(const Problem& problem, const CostModel& costs, const KernelLimits& limits,
                     RowLayout& layout);

}  // namespace waferloom::placer
