#pragma once

#include <optional>

#include "placer/place_result.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Why a kernel alone fits nowhere: names the first such kernel and its nearest miss (left out once
/// `stop` is raised), or what dead tiles and constraints leave it (infeasible_position). Nothing if
/// each fits alone.
std::optional<Infeasible> infeasible_kernel(const ShapeLibrary& library, const ClearSpace& space,
                                            const RunControl& stop = {});

}  // namespace waferloom::placer
