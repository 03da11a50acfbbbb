#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/mesh.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline/sample_routes.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {
namespace {

/// Busy times of links against that of the busiest.
class LinkHeat {
 public:
  LinkHeat(const Mesh& mesh, const std::vector<std::int64_t>& bytes) : mesh_(mesh), bytes_(bytes) {
    for (LinkIndex link = 0; link < bytes.size(); ++link) {
      most_ = std::max(most_, link_time(mesh, link, bytes[link]));
    }
  }
  double mean(const Route& route) const {
    double sum = 0;
    double links = 0;
    for_each_link(mesh_, route, [&](LinkIndex link) {
      sum += link_time(mesh_, link, bytes_[link]);
      ++links;
    });
    return links > 0 && most_ > 0 ? sum / (links * most_) : 0;
  }

 private:
  const Mesh& mesh_;
  const std::vector<std::int64_t>& bytes_;
  double most_ = 0;
};

/// The channels of connections. Pipelines sort their channels; those of equal names and bytes are
/// alike, and taken in turn.
class ChannelsOfEdges {
 public:
  explicit ChannelsOfEdges(const PipelineSpec& spec) {
    for (const ChannelSpec& channel : spec.channels) {
      if (!channel.is_outside()) left_[{channel.name, channel.bytes}].push_back(&channel);
    }
  }
  const ChannelSpec& take(const std::string& name, std::int64_t bytes) {
    const auto at = left_.find({name, bytes});
    if (at == left_.end() || at->second.empty()) {
      throw std::logic_error("the pipeline has no channel " + name);
    }
    const ChannelSpec& channel = *at->second.front();
    at->second.pop_front();
    return channel;
  }

 private:
  std::map<std::pair<std::string, std::int64_t>, std::deque<const ChannelSpec*>> left_;
};

}  // namespace

std::vector<double> edge_traffic(const Problem& problem, const PipelineSpec& spec,
                                 const Hardware& hardware, Routing routing,
                                 const std::vector<std::int64_t>& link_bytes) {
  const Mesh mesh(hardware, spec.reserve);
  const LinkHeat heat(mesh, link_bytes);
  RoutePlanner planner(mesh, is_fixed(routing) ? routing : Routing::xy);
  ChannelsOfEdges channels(spec);
  std::vector<double> traffic;
  for (const Connection& edge : problem.connections()) {
    const auto name = [&](KernelIndex kernel) { return problem.kernels()[kernel].name; };
    const ChannelSpec& channel = channels.take(name(edge.producer) + " -> " + name(edge.consumer),
                                               edge.tensor.elements() * hardware.element_bytes);
    double sum = 0;
    for (const Lane& lane : channel.lanes) {
      const double bytes = lane.bytes > 0 ? static_cast<double>(lane.bytes)
                                          : static_cast<double>(channel.bytes) /
                                                static_cast<double>(channel.lanes.size());
      sum += bytes * heat.mean(demanded_route(mesh, planner, lane, false, 0));
    }
    traffic.push_back(sum);
  }
  return traffic;
}

}  // namespace waferloom::sim
