#include "sim/pipeline/lone_lanes.h"

#include <algorithm>

#include "sim/mesh/route.h"

namespace waferloom::sim {
namespace {

bool is_outside(const ChannelSpec& channel) {
  return channel.producer == ChannelSpec::kOutside || channel.consumer == ChannelSpec::kOutside;
}

/// The route of a lane with a path, backwards where the way goes so.
Route route_of(const Mesh& mesh, const Lane& lane, bool back) {
  RoutePlanner unused(mesh, Routing::planned);
  return *lane_route(mesh, unused, lane, back, 0, 0);
}

}  // namespace

/// How many lanes use each link, leave each tile and reach each tile; 2 stands for more.
struct LaneTraffic::Users {
  std::vector<std::uint8_t> links;
  std::vector<std::uint8_t> leave;
  std::vector<std::uint8_t> reach;

  static void add(std::uint8_t& count) { count = std::min<std::uint8_t>(2, count + 1U); }
};

LaneTraffic::LaneTraffic(const PipelineSpec& spec, const Mesh& mesh, bool all)
    : spec_(spec), mesh_(mesh), ways_(2 * spec.channels.size()) {
  Users users;
  if (!all) {
    users.links.assign(mesh.link_count(), 0);
    users.leave.assign(mesh.node_count(), 0);
    users.reach.assign(mesh.node_count(), 0);
    for (const ChannelSpec& channel : spec.channels) {
      for (const bool gradient : {false, true}) {
        if (gradient && (!spec.training || is_outside(channel))) continue;
        const bool back = channel.goes_back(gradient);
        for (const Lane& lane : channel.lanes_of(gradient)) {
          Users::add(users.leave[mesh.node(back ? lane.to : lane.from)]);
          Users::add(users.reach[mesh.node(back ? lane.from : lane.to)]);
          for_each_link(mesh, route_of(mesh, lane, back),
                        [&](LinkIndex link) { Users::add(users.links[link]); });
        }
      }
    }
  }
  for (std::size_t channel = 0; channel < spec.channels.size(); ++channel) {
    choose(channel, false, users);
    choose(channel, true, users);
  }
}

void LaneTraffic::choose(std::size_t index, bool gradient, const Users& users) {
  const ChannelSpec& channel = spec_.channels[index];
  const std::vector<Lane>& lanes = channel.lanes_of(gradient && !is_outside(channel));
  SentLanes& way = ways_[2 * index + (gradient ? 1 : 0)];
  const bool all = users.links.empty() || is_outside(channel) || (gradient && !spec_.training);
  const bool back = channel.goes_back(gradient && !is_outside(channel));
  double slowest = -1;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    const Lane& lane = lanes[i];
    bool alone = !all && !lane.path.empty();
    if (alone) {
      const Route route = route_of(mesh_, lane, back);
      alone = users.leave[mesh_.node(back ? lane.to : lane.from)] == 1 &&
              users.reach[mesh_.node(back ? lane.from : lane.to)] == 1;
      for_each_link(mesh_, route, [&](LinkIndex link) { alone = alone && users.links[link] == 1; });
      if (alone) {
        const std::int64_t bytes = ChannelSpec::part(lanes, i, channel.bytes, channel.bytes);
        const double time = static_cast<double>(route_latency(mesh_, route)) +
                            static_cast<double>(bytes) / slowest_rate(mesh_, route);
        if (time > slowest) {
          // The slowest so far stands last among the lone ones.
          slowest = time;
          way.left_out.push_back(i);
        } else {
          way.left_out.insert(way.left_out.end() - 1, i);
        }
        continue;
      }
    }
    way.sent.push_back(i);
  }
  if (way.left_out.empty()) return;
  way.sent.push_back(way.left_out.back());
  way.left_out.pop_back();
  std::sort(way.sent.begin(), way.sent.end());
  std::sort(way.left_out.begin(), way.left_out.end());
}

void LaneTraffic::count_left_out(std::size_t index, bool gradient, std::int64_t shipments,
                                 LinkBytes& bytes) const {
  const ChannelSpec& channel = spec_.channels[index];
  const std::vector<Lane>& lanes = channel.lanes_of(gradient);
  for (const std::uint32_t i : of(index, gradient).left_out) {
    const std::int64_t part = ChannelSpec::part(lanes, i, channel.bytes, channel.bytes);
    bytes.count(route_of(mesh_, lanes[i], channel.goes_back(gradient)), part * shipments);
  }
}

}  // namespace waferloom::sim
