#pragma once

#include <vector>

#include "model/hardware.h"
#include "model/routes.h"
#include "model/wafer.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// What a sample moves in a pipeline, by the pipeline's channels; `tiles` by stage or, where stages
/// share tiles, by worker. Inputs and outputs may use every live port of their kind, or the one
/// that the hardware gives them; what streams from and to memory counts with its backward. What
/// stays on its tiles is left out.
Traffic pipeline_traffic(const PipelineSpec& spec, const Hardware& hardware,
                         const std::vector<Rectangle>& tiles);

/// Gives the channels of a pipeline the lanes, ports and buffers of routes of its traffic. Throws
/// RequestError where a tensor has none.
void set_routes(PipelineSpec& spec, const Hardware& hardware, const Routes& routes);

}  // namespace waferloom::sim
