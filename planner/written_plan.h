#pragma once

#include <cstdint>
#include <vector>

#include "model/plan.h"
#include "model/system.h"
#include "model/workload.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

/// A network in training or forward, and its plans over a system, the best first.
struct SystemPlans {
  TransformerJob network;
  std::vector<SystemPlan> plans;
};
/// Plans a batch of a network over a system of chips. Throws InfeasibleError, with what the first
/// plan lacks, where none fits, and RequestError as transformer_job and ranked_system_plans.
SystemPlans plans_for_system(const Workload& workload, std::int64_t batch, bool trains,
                             const System& system, const SystemPlanOptions& options,
                             Objective objective);

/// The plan that the file of a possible SystemPlan holds: its degrees, micro-batches and schedule,
/// and how a layer's kernels are sharded and cut into partitions on a chip, by name. The partitions
/// are those of a forward pass of one micro-batch, the best by best_mapping, which takes most of
/// the time; none where no mapping fits. Throws RequestError as best_mapping does.
Plan written_plan(const SystemPlan& best, const TransformerJob& job, const System& system);

}  // namespace waferloom::planner
