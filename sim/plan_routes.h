#pragma once

#include "model/hardware.h"
#include "model/routes.h"
#include "model/traffic.h"
#include "sim/plan_run.h"

namespace waferloom::sim {

/// What a micro-batch moves between the stages of a plan and over the wafer's edge: tensors,
/// gradients, inputs and outputs, and what streams from and to memory, whose reads and writes of
/// one stage share ports (TrafficTensor::store). Of the links inside stages as much is kept as the
/// exchanges of the stage that exchanges longest can take of a micro-batch.
Traffic plan_traffic(const PlannedPipeline& planned, const Hardware& hardware);

/// Gives the pipeline of a plan routes of that traffic. Throws RequestError where a tensor
/// has none.
void set_plan_routes(PlannedPipeline& planned, const Hardware& hardware, const Routes& routes);

}  // namespace waferloom::sim
