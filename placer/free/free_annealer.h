#pragma once

#include <cstdint>
#include <optional>

#include "model/placement.h"
#include "placer/annealing/annealing.h"
#include "placer/shapes/clear_space.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// Simulated annealing of rectangles that lie anywhere the constraints allow (docs/placer.md): what
/// is searched is every kernel's place, its (h, w, c) and rotation, and the time cap. Dead tiles,
/// regions and fixed places are never violated; kernels may overlap for a price, and only what does
/// not is kept. Minimises the whole weighted objective. Unlike the annealers of slicing trees a
/// move changes nothing but the kernels that it names, which is what obstacles ask for; those pack
/// denser where there are none.
///
/// `start` has executions within limits and may overlap; kernels where their constraints do not
/// allow them are put at the nearest place that does, with another shape if need be. Nothing if no
/// legal placement was met. O(kernels + edges) a move.
std::optional<Placement> anneal_free(const ShapeLibrary& library, const ClearSpace& space,
                                     const Placement& start, const AnnealBudget& budget,
                                     const Cooling& cooling, RandomStream& random);

}  // namespace waferloom::placer
