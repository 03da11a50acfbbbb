#include "sim/collective.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "sim/route_planner.h"

namespace waferloom {

RingAllReduce::RingAllReduce(const Mesh& mesh, Picoseconds endpoint_latency,
                             const std::vector<TileGroup>& groups, Meeting meeting) {
  RoutePlanner planner(mesh, Routing::xy);
  std::unordered_map<LinkIndex, std::int64_t> flows;
  double slowest = std::numeric_limits<double>::infinity();
  for (const TileGroup& group : groups) {
    members_ = std::max(members_, static_cast<std::int64_t>(group.size()));
    for (std::size_t i = 0; group.size() > 1 && i < group.size(); ++i) {
      const auto route =
          planner.plan(mesh.node(group[i]), mesh.node(group[(i + 1) % group.size()]), 0, 0);
      if (!route) throw std::invalid_argument("a ring of tiles is cut by what is dead");
      latency_ = std::max(latency_, route_latency(mesh, *route) + endpoint_latency);
      slowest = std::min(slowest, slowest_rate(mesh, *route));
      for_each_link(mesh, *route, [&](LinkIndex link) { ++flows[link]; });
    }
  }
  bytes_per_ps_ = slowest;
  if (meeting == Meeting::ignored) return;
  for (const auto& [link, count] : flows) {
    bytes_per_ps_ = std::min(bytes_per_ps_, mesh.bytes_per_ps(link) / static_cast<double>(count));
  }
}

Picoseconds RingAllReduce::time(std::int64_t bytes) const {
  if (members_ == 1 || bytes == 0) return 0;
  const std::int64_t part = (bytes + members_ - 1) / members_;
  const Picoseconds step = later(transmission_time(part, bytes_per_ps_), latency_);
  const std::int64_t steps = 2 * (members_ - 1);
  if (step > kHorizon / steps) fail_beyond_horizon();
  return steps * step;
}

}  // namespace waferloom
