#pragma once

#include <optional>
#include <string>

#include "cli/console/warnings.h"
#include "cli/files/input_file.h"
#include "cli/files/stage_files.h"
#include "model/hardware.h"
#include "model/placement.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/workload.h"

namespace waferloom::cli {

/// The stages of a pipeline plan as kernels with shapes, on the machine that it is for.
struct PipelineStages {
  Hardware hardware;
  Problem problem;
};

/// `files` may name a wafer, whose dead tiles count in place of the machine's, and constraints.
/// Throws Failure and InputError, which blame the plan for what does not fit.
PipelineStages read_pipeline_stages(const AnyPlanFile& file, const PipelinePlan& plan,
                                    const Workload& workload, const MachineChoice& machine,
                                    const ProblemFiles& files, const CommonOptions& common);

/// What the command line names, for messages.
struct PipelineRead {
  std::string workload;
  std::string plan;
};

/// The stages in a file of a placement, or in a solution. Throws Failure::usage where no file is
/// named, InputError for stages that are not there in one of their shapes and for others than the
/// plan's, Failure::check for a placement that is not legal.
Placement read_pipeline_placement(const std::optional<std::string>& path, const PipelineRead& read,
                                  const PipelineStages& stages, const CommonOptions& common,
                                  Warnings& warnings);

}  // namespace waferloom::cli
