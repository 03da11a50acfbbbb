#include "sim/streaming_report.h"

#include <nlohmann/json.hpp>

namespace waferloom::sim {

Json streaming_times_json(const StreamingTimes& times, double clock_hz) {
  return {{"step_s", times.step_cycles / clock_hz},
          {"shown_s", static_cast<double>(times.shown_cycles) / clock_hz},
          {"forward_layer_s", times.forward_layer_cycles / clock_hz},
          {"backward_layer_s", times.backward_layer_cycles / clock_hz},
          {"block_side", times.block_side},
          {"messages", times.messages},
          {"events", times.events}};
}

}  // namespace waferloom::sim
