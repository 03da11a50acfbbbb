#pragma once

#include <optional>
#include <string>

#include "cli/console/warnings.h"
#include "cli/files/input_file.h"
#include "cli/files/planned_network.h"
#include "cli/files/stage_files.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/workload.h"
#include "optimize/simulation_runs.h"

namespace waferloom::cli {

/// What a plan of a whole wafer lays, as kernels with shapes, on the machine that it is for: the
/// stages of a pipeline, or regions, which are bound to where the plan has them.
struct WaferStages {
  Hardware hardware;
  Problem problem;
  std::optional<optimize::PipelineBatch> batch{};  ///< of a pipeline that trains
};

/// Of a plan that is no cut, under the constraints of a file unless that is empty. Throws Failure
/// and InputError, which blame the plan for what does not fit.
WaferStages wafer_stages(const PlannedNetwork& planned, const std::string& constraints,
                         const CommonOptions& common);

/// What the command line names, for messages.
struct WaferRead {
  std::string workload;
  std::string plan;
};

/// The stages in a file of a placement, or in a solution. Throws Failure::usage where no file is
/// named, InputError for stages that are not there in one of their shapes and for others than the
/// plan's, Failure::check for a placement that is not legal.
Placement read_wafer_placement(const std::optional<std::string>& path, const WaferRead& read,
                               const WaferStages& stages, const CommonOptions& common,
                               Warnings& warnings);

}  // namespace waferloom::cli
