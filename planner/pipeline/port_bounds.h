#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/report.h"
#include "planner/pipeline/stage_fronts.h"

namespace waferloom::planner {

/// How long the ports that live, all together, take for the inputs and the outputs of a sample, in
/// either direction; a port has what its tile's link takes. Empty where a file has no such port.
/// Throws InfeasibleError where all of them are at tiles that are dead or cut off. O(operators).
std::vector<NamedBound> port_bounds(const OperatorFlow& flow, const Hardware& hardware,
                                    const Living& living);

/// The cycles of the slowest of what a sample needs beside stages; 0 where nothing.
std::int64_t least_cycles(const std::vector<NamedBound>& outside, const Hardware& hardware);

}  // namespace waferloom::planner
