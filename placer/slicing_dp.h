#pragma once

#include <optional>
#include <vector>

#include "placer/shape_library.h"
#include "placer/slicing_tree.h"

namespace waferloom {

/// The optimal order-preserving slicing packing (docs/placer.md): over all slicing trees whose
/// leaves stand in `order` and all shapes of the kernels, one that fits the wafer. For interval
/// i…j with curve F, S = min over m of F[i…m] + F[m+1…j] side by side, F = min(S, S⁻¹) by the
/// rotation symmetry of all leaves. O(n³·side) vector operations. Nothing if none fits.
std::optional<SlicingTree> slicing_dp(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                      const std::vector<KernelIndex>& order);

}  // namespace waferloom
