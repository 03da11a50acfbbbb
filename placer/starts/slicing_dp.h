#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placer/annealing/slicing_tree.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// The optimal order-preserving slicing packing (docs/placer.md): over all slicing trees whose
/// leaves stand in `order` and all shapes of the kernels, one that fits the wafer. For interval
/// i…j with curve F, S = min over m of F[i…m] + F[m+1…j] side by side, F = min(S, S⁻¹) by the
/// rotation symmetry of all leaves. O(n³·side) vector operations. Nothing if none fits, if
/// !slicing_dp_has_room(library), or if `stop` is raised, which is looked at once for each number
/// of kernels in an interval.
std::optional<SlicingTree> slicing_dp(const ShapeLibrary& library, const ShapesAtTime& shapes,
                                      const std::vector<KernelIndex>& order,
                                      const RunControl& stop = {});

/// Whether the curves of all intervals are within kMostCurveBytes.
bool slicing_dp_has_room(const ShapeLibrary& library);
inline constexpr std::size_t kMostCurveBytes = std::size_t{1} << 28;

}  // namespace waferloom::placer
