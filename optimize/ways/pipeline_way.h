#pragma once

#include "optimize/run_control.h"
#include "optimize/ways.h"

// The way `pipeline`: stages that stay on tiles of their own, operators on rectangles.

namespace waferloom::optimize {

/// Routes the tensors of a pipeline that was placed and simulates a stream of samples, as the
/// command `simulate` does; sets rate, latency and bottleneck of the way. Where no routes are found
/// the way stays as it was planned, and its note says so. Throws RequestError where the machine
/// cannot run it, RunCut.
void simulate_pipeline_way(const WaysJob& job, const PlacedPipeline& placed,
                           const SearchControl& control, PlannedWay& way);

}  // namespace waferloom::optimize
