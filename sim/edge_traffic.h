#pragma once

#include <cstdint>
#include <vector>

#include "model/hardware.h"
#include "model/problem.h"
#include "model/routing.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// What every connection of a problem puts on busy links, by connection: the sum over its lanes of
/// their bytes of a sample times the mean, over the links of the lane, of what the link carried
/// against the busiest one. `spec` is the pipeline of a placement (contest_pipeline), `link_bytes`
/// by LinkIndex as a run of it measured them. Lanes without a path of their own go by the routing,
/// under routings that choose by load x first.
std::vector<double> edge_traffic(const Problem& problem, const PipelineSpec& spec,
                                 const Hardware& hardware, Routing routing,
                                 const std::vector<std::int64_t>& link_bytes);

}  // namespace waferloom::sim
