#include "sim/collective.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "kernels/int128.h"
#include "sim/route_planner.h"

namespace waferloom {
namespace {

/// Adds up what passes every link, and every tile's ways into and out of the mesh, in a step, in
/// shares of the largest flow.
class Loads {
 public:
  Loads(const Mesh& mesh, std::size_t flows) : mesh_(mesh) { carried_.reserve(2 * flows); }

  void add(NodeIndex from, NodeIndex to, const Route& route, double weight) {
    const auto ways_in = static_cast<std::uint64_t>(mesh_.link_count());
    carried_[ways_in + from] += weight;
    carried_[ways_in + mesh_.node_count() + to] += weight;
    for_each_link(mesh_, route, [&](LinkIndex link) { carried_[link] += weight; });
  }

  /// The rate that the busiest of them leaves to the largest flow.
  double least_rate() const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [place, weight] : carried_) {
      const bool is_link = place < mesh_.link_count();
      const double rate =
          is_link ? mesh_.bytes_per_ps(static_cast<LinkIndex>(place)) : mesh_.tile_bytes_per_ps();
      least = std::min(least, rate / weight);
    }
    return least;
  }

 private:
  const Mesh& mesh_;
  std::unordered_map<std::uint64_t, double> carried_;
};

bool is_larger(const Share& a, const Share& b) {
  return Int128(a.parts) * b.of > Int128(b.parts) * a.of;
}

}  // namespace

Collective::Collective(const Mesh& mesh, Picoseconds endpoint_latency, const Phases& phases,
                       Meeting meeting) {
  RoutePlanner planner(mesh, Routing::xy);
  for (const Phase& phase : phases) {
    if (phase.flows.empty()) continue;
    Step step{phase.steps, phase.flows.front().share, std::numeric_limits<double>::infinity(), 0};
    for (const Flow& flow : phase.flows) {
      if (is_larger(flow.share, step.share)) step.share = flow.share;
    }
    Loads loads(mesh, meeting == Meeting::shares ? phase.flows.size() : 0);
    for (const Flow& flow : phase.flows) {
      const NodeIndex from = mesh.node(flow.from);
      const NodeIndex to = mesh.node(flow.to);
      const auto route = planner.plan(from, to, 0, 0);
      if (!route) throw std::invalid_argument("a group of tiles is cut by what is dead");
      const double weight = flow.share.value() / step.share.value();
      step.latency = std::max(step.latency, route_latency(mesh, *route) + endpoint_latency);
      step.bytes_per_ps = std::min(step.bytes_per_ps, slowest_rate(mesh, *route) / weight);
      if (meeting == Meeting::shares) loads.add(from, to, *route, weight);
    }
    if (meeting == Meeting::shares) {
      step.bytes_per_ps = std::min(step.bytes_per_ps, loads.least_rate());
    }
    steps_.push_back(step);
  }
}

Picoseconds Collective::time(std::int64_t bytes) const {
  if (bytes == 0) return 0;
  Picoseconds whole = 0;
  for (const Step& step : steps_) {
    const Picoseconds one =
        later(transmission_time(step.share.bytes_of(bytes), step.bytes_per_ps), step.latency);
    if (one > kHorizon / step.count) fail_beyond_horizon();
    whole = later(whole, one * step.count);
  }
  return whole;
}

}  // namespace waferloom
