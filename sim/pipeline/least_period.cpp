#include <algorithm>

#include "sim/pipeline/demands.h"
#include "sim/pipeline/sample_routes.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {
namespace {

class EdgeRooms {
 public:
  EdgeRooms(const PipelineSpec& spec, const Hardware& hardware, const Mesh& mesh, Routing routing)
      : spec_(spec),
        endpoint_latency_(hardware.endpoint_latency_ps),
        mesh_(mesh),
        planner_(mesh, routing) {}

  /// How long a sample keeps the slowest edge's room, by slot. Plans every lane.
  Utilisation slowest() {
    Utilisation most;
    for (const ChannelSpec& channel : spec_.channels) {
      const Picoseconds moves = transfer(channel);
      if (channel.is_outside() || spec_.training) continue;
      const Picoseconds held = later(later(spec_.stages[channel.producer].forward, moves),
                                     spec_.stages[channel.consumer].forward);
      const Picoseconds share = held / std::max<std::int64_t>(1, channel.buffer_samples);
      if (share <= most.busy_per_sample) continue;
      most = {"room of " + channel.name, share, static_cast<double>(share)};
    }
    return most;
  }

 private:
  /// Adapters, then the slowest lane alone.
  Picoseconds transfer(const ChannelSpec& channel) {
    Picoseconds slowest = 0;
    for (std::size_t i = 0; i < channel.lanes.size(); ++i) {
      const Lane& lane = channel.lanes[i];
      const Route route = demanded_route(mesh_, planner_, lane, false, 0);
      const std::int64_t bytes = channel.part(channel.lanes, i, channel.bytes);
      slowest = std::max(slowest, later(route_latency(mesh_, route),
                                        transmission_time(bytes, slowest_rate(mesh_, route))));
    }
    Picoseconds time = later(slowest, endpoint_latency_);
    for (int pass = 0; pass < channel.adapters; ++pass) time = later(time, channel.adapter_pass);
    return time;
  }

  const PipelineSpec& spec_;
  Picoseconds endpoint_latency_;
  const Mesh& mesh_;
  RoutePlanner planner_;
};

/// The busiest of all resources, and of those that move something.
void add_most(const Demands& demands, LeastPeriod& least) {
  for (std::size_t kind = 0; kind < Demands::kKinds; ++kind) {
    const Utilisation& resource = demands.busiest(static_cast<Bound>(kind));
    const bool moves = static_cast<Bound>(kind) != Bound::compute;
    if (moves && resource.busy_per_sample > least.moves.busy_per_sample) least.moves = resource;
  }
  least.most = demands.busiest(Bound::compute);
  if (least.moves.busy_per_sample > least.most.busy_per_sample) least.most = least.moves;
}

}  // namespace

LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, Routing routing) {
  return least_period(spec, hardware, Mesh(hardware, spec.reserve), routing);
}

LeastPeriod least_period(const PipelineSpec& spec, const Hardware& hardware, const Mesh& mesh,
                         Routing routing) {
  LeastPeriod least;
  least.moves = EdgeRooms(spec, hardware, mesh, routing).slowest();
  RoutePlanner planner(mesh, routing);
  add_most(Demands(spec, mesh, NetworkKind::fair, planner), least);
  return least;
}

LeastPeriod least_period_on_any_routes(const PipelineSpec& spec) {
  LeastPeriod least;
  add_most(Demands::on_any_routes(spec), least);
  return least;
}

}  // namespace waferloom::sim
