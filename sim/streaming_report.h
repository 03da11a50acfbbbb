#pragma once

#include "model/report.h"
#include "sim/streaming_run.h"

namespace waferloom::sim {

/// "simulated" of a streamed step, in seconds at that clock: step_s, shown_s, forward_layer_s,
/// backward_layer_s; block_side, messages, events.
Json streaming_times_json(const StreamingTimes& times, double clock_hz);

}  // namespace waferloom::sim
