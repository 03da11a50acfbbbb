#pragma once

#include <string>

#include "model/hardware.h"
#include "model/workload.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::cli {

/// A pipelined plan in at most 80 columns: rate, tiles, memory, and its stages, alike ones that
/// follow one another in one line. `path`: of the file that it was written to; empty for none.
std::string pipeline_summary(const Workload& workload, const Hardware& hardware,
                             const planner::PipelineOptions& options,
                             const planner::WaferPipeline& pipeline, const std::string& path);

}  // namespace waferloom::cli
