#pragma once

#include "model/hardware.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/workload.h"

namespace waferloom {

/// The stages of a plan as kernels to be placed on a wafer: of each the rectangles of its tiles up
/// to four times as long as wide, or where there are none the least long one, with the time, in
/// microseconds, that a micro-batch takes there, forward, backward and all-reduces together; edges
/// weigh as their bytes, the heaviest 1. Time and distance weigh 1. Throws std::invalid_argument,
/// with one sentence, where a stage has no rectangle that fits the mesh, or its time is out of a
/// problem's range.
Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware);

}  // namespace waferloom
