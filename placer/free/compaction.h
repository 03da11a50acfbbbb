#pragma once

#include "model/placement.h"
#include "model/run_control.h"
#include "placer/shapes/clear_space.h"

namespace waferloom::placer {

/// Slides the kernels of a legal placement along x and along y, in turns, until neither makes the
/// wire shorter: along one axis all at once and exactly (axis_wire.h), none past another one, a
/// dead tile or the bounds of a region. Shapes and rotations stay, so time and adapters do. Never
/// worse; once `stop` is raised what has been gained so far. `space` is that of the problem.
/// O(kernels · (log kernels + pieces seen by one + dead rectangles beside it)) and some tens of
/// minimum cuts an axis and turn.
Placement compact(const Problem& problem, const ClearSpace& space, const Placement& placement,
                  const RunControl& stop);

}  // namespace waferloom::placer
