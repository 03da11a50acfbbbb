#pragma once

#include <vector>

#include "model/plan.h"
#include "model/wafer.h"
#include "model/workload.h"
#include "sim/from_plan/stage_service.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

/// A branch of a stage as a stage of its own, on its part of the stage's tiles.
struct StageBranch {
  Plan plan;
  StageWork work;
  Rectangle tiles;
};

/// A stage whose branches run side by side: what runs on all tiles, and groups of branches.
struct StageParts {
  StageWork on_all_tiles;
  std::vector<std::vector<StageBranch>> groups;
};

/// Parts the operators and the tiles of a stage by the branches of `own`, the stage's plan.
/// Branches have whole columns of the rectangle one beside the other, or whole rows where their
/// degrees make no whole columns. Throws PlanFault where they make neither. O(operators ·
/// branches).
StageParts parts_of_stage(const Workload& workload, const Plan& own, const StageWork& work,
                          const Rectangle& tiles);

/// Whether parts_of_stage divides a rectangle of that shape. O(operators · branches).
bool fits_branches(const Workload& workload, const Plan& own, const StageWork& work,
                   const Extent& shape);

/// Throws PlanFault where branches have unknown operators, or one twice; where those of a group are
/// not the consecutive operators of one stage, or take from another branch; or where they have more
/// tiles than their stage. O(operators · branches).
void check_branches(const Workload& workload, const Plan& plan, const PlanCut& cut);

/// The exchanges of what runs on all tiles of a stage.
const StageSums& sums_of_stage(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
                               const StageWork& work, const Rectangle& tiles);

/// The times of a stage on these tiles, as stage_service() has them. A group of branches takes as
/// long as the longest of them. A tensor that a branch takes of operators on all tiles, or they of
/// it, moves from these tiles to those: part by part, in their order, where producer and consumer
/// are cut in one and the same way; otherwise from every tile to every tile. Layers need all of it
/// on every tile, and have all that they make on every tile. Throws as
/// stage_service() and parts_of_stage() do.
StageService priced_stage(const Workload& workload, const Plan& own, ExchangeCache& exchanges,
                          const StageWork& work, const Rectangle& tiles);

}  // namespace waferloom::sim
