#pragma once

#include <cstddef>
#include <vector>

#include "model/workload.h"
#include "sim/collective/collective_phases.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

/// Lets tensors go between stages of other tensor degrees by adapters (StageTransfer), where the
/// consumer needs all of the tensor on every tile of a tensor group. Of each it tries 1, 2, 4, …
/// adapters and the strategies that the plan allows, and prices their terms (PALM, Eq. 7 and 8),
/// forward and backward together. It takes what makes a batch of training shortest, or of
/// inference the period, then the time of the terms. It adds the terms inside stages to
/// `planned.services`, in place of the all-reduces that they replace. Tensors that their consumers
/// gather themselves, and those of sequence parallelism, whose layers gather what they take, stay
/// as they are. Throws InfeasibleError where no route joins tiles of a stage. O(flows · hops) of
/// what is tried.
void add_transfers(const Workload& workload, ExchangeCache& exchanges, PlannedPipeline& planned);

/// The lanes of a transfer, adapter by adapter.
std::vector<Lane> transfer_lanes(const StageTransfer& transfer, const PlannedPipeline& planned,
                                 const Hardware& hardware);

}  // namespace waferloom::sim
