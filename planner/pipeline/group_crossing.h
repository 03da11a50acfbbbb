#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/workload.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::planner {

/// All groups of tiles but the one with most host ports on joined tiles, of equals the first.
std::vector<Rectangle> other_groups(const Hardware& hardware, const Living& living,
                                    const GroupBorders& borders);

/// Holds a pipeline to what crosses borders between groups of tiles. Each replica has groups of its
/// own, one behind the other. Where stages do not fit into groups, the largest of their tensors
/// cross the slowest border. At least the fastest crossing counts: nothing keeps stages to groups.
void add_crossing(const Workload& workload, const Hardware& hardware, const GroupBorders& borders,
                  const PipelineOptions& options, WaferPipeline& pipeline);

}  // namespace waferloom::planner
