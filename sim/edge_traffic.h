#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/routing.h"

namespace waferloom::sim {

/// What every connection of a problem puts on busy links, by connection: the sum over its lanes of
/// their bytes of a sample times the mean, over the links of the lane, of what the link carried
/// against the busiest one. `link_bytes` by LinkIndex, as a run measured them. Under routings that
/// choose by load lanes are taken to go x first.
std::vector<double> edge_traffic(const Problem& problem, const Placement& placement,
                                 const Hardware& hardware, Routing routing,
                                 const std::vector<std::int64_t>& link_bytes);

}  // namespace waferloom::sim
