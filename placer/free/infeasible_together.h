#pragma once

#include <optional>

#include "placer/place_result.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Why the kernels have no legal placement together, though each has one alone (infeasible_kernel).
/// What it finds is proven; not everything that is impossible is found. Nothing once `stop` is
/// raised.
std::optional<Infeasible> infeasible_together(const ShapeLibrary& library, const ClearSpace& space,
                                              const RunControl& stop = {});

/// All that is proven before a search: infeasible_kernel, then infeasible_together.
std::optional<Infeasible> proven_infeasible(const ShapeLibrary& library, const ClearSpace& space,
                                            const RunControl& stop = {});

}  // namespace waferloom::placer
