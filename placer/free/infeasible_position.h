#pragma once

#include <optional>

#include "placer/place_result.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Why dead tiles, regions or its fixed place leave a kernel no place at all, other kernels left
/// aside: names the first such kernel. Every kernel fits the wafer otherwise (infeasible_kernel).
/// What it finds is proven; not everything that is impossible is found.
std::optional<Infeasible> infeasible_position(const ShapeLibrary& library, const ClearSpace& space);

}  // namespace waferloom::placer
