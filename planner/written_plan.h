#pragma once

#include "model/plan.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

/// The plan that the file of a possible SystemPlan holds: its degrees, micro-batches and schedule,
/// and how a layer's kernels are sharded and cut into partitions on a chip, by name. The partitions
/// are those of a forward pass of one micro-batch, the best by best_mapping, which takes most of
/// the time; none where no mapping fits. Throws RequestError as best_mapping does.
Plan written_plan(const SystemPlan& best, const TransformerJob& job, const System& system);

}  // namespace waferloom::planner
