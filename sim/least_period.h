#pragma once

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/routing.h"
#include "sim/pipeline_spec.h"
#include "sim/report.h"
#include "sim/time.h"

namespace waferloom::sim {

/// What a sample needs of a pipeline at least.
struct LeastPeriod {
  Utilisation most;   ///< of whatever it needs longest
  Utilisation moves;  ///< the busiest resource that is not a stage's computing
};

/// A lower bound on the time from sample to sample, by what is busiest: the stage, link, tile, port
/// or adapter, or the room of an edge. No network but `analytic` and no order of work makes this
/// period shorter.
///
/// A slot of an edge is taken from the begin of the producer's work to the end of the consumer's.
/// So an edge with room for B samples passes at most B samples in the time of producer, transfer
/// and consumer together. Left out are the rooms of training, and links under routings that choose
/// by load. Throws RequestError where a lane has no way between its tiles. O(lanes + links).
LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, Routing routing);
/// The same before routing, for any routes. Leaves out links and the rooms of edges. Assumes that
/// memory traffic is spread evenly over all memory ports. O(channels).
LeastPeriod least_period_on_any_routes(const PipelineSpec& spec);
/// least_period on the hardware's mesh.
LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, const Mesh& mesh,
                         Routing routing);

}  // namespace waferloom::sim
