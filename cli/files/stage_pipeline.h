#pragma once

#include "cli/console/warnings.h"
#include "cli/files/stage_files.h"
#include "cli/options/arguments.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/plan_run.h"

namespace waferloom::cli {

/// How the pipeline of a plan is simulated.
struct StagePipelineOptions {
  sim::Contention contention = sim::Contention::simulated;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
};

/// A workload's pipeline with its stages where --placement has them or, without it, as the plan
/// lays them out. Throws InputError and Failure, which blame the plan or the placement.
sim::PlannedPipeline read_stage_pipeline(const Arguments& arguments, const Workload& workload,
                                         const PlanFile& file, const Hardware& hardware,
                                         const StagePipelineOptions& options, Warnings& warnings);

}  // namespace waferloom::cli
