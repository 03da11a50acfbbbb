#pragma once

#include <vector>

#include "model/rectangle.h"
#include "sim/pipeline_spec.h"
#include "sim/plan_cut.h"
#include "sim/plan_memory.h"
#include "sim/stage_service.h"

namespace waferloom {

/// A workload as a pipeline on a wafer, stage by stage as the plan's cut has them.
struct PlannedPipeline {
  Plan plan;  ///< settled
  PlanCut cut;
  PlanMemory memory;
  std::vector<Rectangle> tiles;
  std::vector<StageService> services;  ///< of the cut's stages
  PipelineSpec spec;
};

/// Lays the stages of a plan on rectangles of the mesh, each of the plan's tiles, that do not
/// overlap; tensors between them move as lanes, inputs come through the ports, and of inference the
/// output leaves through them. Throws std::invalid_argument, with one sentence, where that cannot
/// be.
PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Meeting meeting);

}  // namespace waferloom
