#pragma once

#include "model/hardware.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/workload.h"
#include "sim/from_plan/plan_pipeline.h"

namespace waferloom::sim {

/// The stages of a plan as kernels to be placed on a wafer: of each the rectangles of its tiles up
/// to four times as long as wide, or where there are none the least long one, with the time, in
/// microseconds (in ten, a hundred, … of them where some stage takes more than 9,000 s), that a
/// micro-batch takes there: forward, backward, all-reduces and its share of a batch's update
/// together, or what the busiest link or port needs for the streams of stages of that shape
/// (shape_streams.h) if that is more and these are simulated. Edges weigh as their bytes, the
/// heaviest 1. Time and distance weigh 1. Throws std::invalid_argument, with one sentence, where a
/// stage has no rectangle that fits the mesh or streams have no port.
Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware,
                     Streams streams = Streams::simulated);

}  // namespace waferloom::sim
