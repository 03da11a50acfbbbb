#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/plan.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/pipeline_spec.h"

namespace waferloom {

/// What a stage of a plan does with a micro-batch of all replicas.
struct PlannedStage {
  std::string name;
  Rectangle tiles;
  std::vector<std::size_t> operators;  ///< of the workload
  std::int64_t forward_flop = 0;
  std::int64_t backward_flop = 0;
  std::int64_t parameters = 0;
  Picoseconds update = 0;  ///< all-reduce of the gradients of its parameters, once a batch
};

/// A workload as a pipeline on a wafer.
struct PlannedPipeline {
  PipelineSpec spec;
  std::vector<PlannedStage> stages;
  std::int64_t samples = 1;      ///< of a micro-batch in all replicas
  std::int64_t sample_flop = 0;  ///< of a sample, backward included where there is training
  double flop_per_s = 0;         ///< of all stages' tiles together
};

/// Cuts a workload as a plan has it: neighbouring operators become stages that have as even work as
/// can be, on rectangles by the plan's layout; a stage computes at the achievable part of its
/// tiles' peak rate and all-reduces around rings what cutting makes necessary (PALM, Table III),
/// which takes the time of ring_all_reduce(); tensors between stages move as lanes. Throws
/// std::invalid_argument, with one sentence, where the hardware has no room or no peak rate.
PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              Meeting meeting);

}  // namespace waferloom
