#pragma once

#include "kernels/kernel.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/plan_pipeline.h"
#include "sim/time.h"

namespace waferloom::sim {

/// What the busiest link or port needs for a micro-batch, forward and backward, if the stages are
/// blocks of one shape, row by row, every other row backwards, turned whichever way needs less, by
/// the plan's routes if these do not depend on the load. The plan's recompute is definite. 0 where
/// nothing streams from the memory behind the wafer's edge, or blocks of neither way all fit the
/// mesh, which is the cache's and has no defects. Throws RequestError where the streams
/// have no port. O(stages · (operators + lanes)).
Picoseconds stream_time(const Workload& workload, const Plan& plan, ExchangeCache& exchanges,
                        const PlanCut& cut, const Extent& block);

}  // namespace waferloom::sim
