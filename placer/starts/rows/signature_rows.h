#pragma once

#include <functional>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// All kernels under one signature (h, w, c), each cut to what it has, in rows of equal height: no
/// adapters where all kernels can take the signature, and centres that stay level. Tries every
/// number of rows up to eight, every (h, w) that leaves a different number of parts, c as the row's
/// height allows or as some kernel's channels, and time caps from the least that fits upwards.
/// Kernels stand in `order`, every other row reversed. Emits legal placements, each cheaper than
/// its last.
/// Where something binds kernels beside the wafer's edge, rows step past what is in the way; what
/// they emit then covers no dead tile and keeps regions, but may not keep fixed kernels.
void signature_rows(const ShapeLibrary& library, const ClearSpace& space,
                    const std::vector<KernelIndex>& order, const RunControl& stop,
                    const std::function<void(const Placement&)>& emit);

}  // namespace waferloom::placer
