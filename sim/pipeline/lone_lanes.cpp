#include "sim/pipeline/lone_lanes.h"

#include <algorithm>

#include "sim/mesh/route.h"

namespace waferloom::sim {
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
        if (gradient && (!spec.training || channel.is_outside())) continue;
        const bool back = channel.goes_back(gradient);
        for (const Lane& lane : channel.lanes_of(gradient)) {
          Users::add(users.leave[mesh.node(back ? lane.to : lane.from)]);
          Users::add(users.reach[mesh.node(back ? lane.from : lane.to)]);
          for_each_link(mesh, path_route(mesh, lane, back),
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
  const std::vector<Lane>& lanes = channel.lanes_of(gradient && !channel.is_outside());
  SentLanes& way = ways_[2 * index + (gradient ? 1 : 0)];
  const bool all = users.links.empty() || channel.is_outside() || (gradient && !spec_.training);
  const bool back = channel.goes_back(gradient && !channel.is_outside());
  double slowest = -1;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    const Lane& lane = lanes[i];
    bool alone = !all && !lane.path.empty();
    if (alone) {
      const Route route = path_route(mesh_, lane, back);
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
    bytes.count(path_route(mesh_, lanes[i], channel.goes_back(gradient)), part * shipments);
  }
}

}  // namespace waferloom::sim
