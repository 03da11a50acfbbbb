#pragma once

#include <cstdint>
#include <vector>

#include "sim/mesh/route_planner.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {

/// lane_route, which has to be there. Throws RequestError with both tiles.
Route demanded_route(const Mesh& mesh, RoutePlanner& planner, const Lane& lane, bool back,
                     std::int64_t bytes);

/// Of a sample over the wafer's edge in the direction of a channel, what goes with its backward
/// included.
inline std::int64_t sample_bytes(const PipelineSpec& spec, const ChannelSpec& channel) {
  return channel.bytes + (spec.training ? channel.backward_bytes : 0);
}

/// Whether a channel goes over the wafer's edge from or to memory.
inline bool passes_memory(const PipelineSpec& spec, const ChannelSpec& channel) {
  return !channel.ports.empty() && spec.ports[channel.ports.front()].is_memory;
}

/// Calls visit(lane, whether it is gone back, bytes) for everything that a sample sends over a
/// lane, what stages send among their own tiles included.
template <typename Visit>
void for_each_sample_lane(const PipelineSpec& spec, Visit&& visit) {
  for (const StageSpec& stage : spec.stages) {
    for (const OwnTransfer& own : stage.own) {
      visit(own.lane, false, own.forward_bytes + (spec.training ? own.backward_bytes : 0));
    }
  }
  for (const ChannelSpec& channel : spec.channels) {
    for (const bool gradient : {false, true}) {
      if (gradient && (!spec.training || channel.is_outside())) continue;
      const std::vector<Lane>& lanes = channel.lanes_of(gradient);
      for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        visit(lanes[lane], channel.goes_back(gradient),
              channel.part(lanes, lane, sample_bytes(spec, channel)));
      }
    }
  }
}

}  // namespace waferloom::sim
