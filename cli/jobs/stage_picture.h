#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/rectangle.h"
#include "model/workload.h"
#include "sim/plan_problem.h"
#include "viz/floorplan.h"

namespace waferloom::cli {

/// What a floorplan tells of the stages of a workload.
viz::NetworkStages network_stages(const Workload& workload, const sim::PlanStages& stages,
                                  const Hardware& hardware);

/// Where stages lie whose problem has been given their places: the one option of each, there.
Placement stages_on(const std::vector<Rectangle>& tiles);

}  // namespace waferloom::cli
