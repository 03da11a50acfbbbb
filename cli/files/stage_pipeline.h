#pragma once

#include <optional>
#include <string>

#include "cli/console/warnings.h"
#include "cli/files/planned_network.h"
#include "cli/files/stage_files.h"
#include "model/hardware.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/plan_run.h"

namespace waferloom::cli {

/// How the pipeline of a plan is simulated.
struct StagePipelineOptions {
  sim::Contention contention = sim::Contention::simulated;
  sim::MemoryModel memory_model = sim::MemoryModel::simulated;
  std::optional<std::string> placement{};  ///< the file that says where stages lie
};

/// The pipeline of a cut with its stages where the file of a placement has them or, without it, as
/// the plan lays them out. Throws InputError and Failure, which blame the plan or the placement.
sim::PlannedPipeline read_stage_pipeline(const PlannedNetwork& planned,
                                         const StagePipelineOptions& options,
                                         const CommonOptions& common, Warnings& warnings);

}  // namespace waferloom::cli
