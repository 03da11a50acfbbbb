#include "sim/pipeline/lone_lanes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/pipeline/lanes.h"

namespace waferloom::sim {
/// How many lanes use each link, leave each tile and reach each tile; 2 stands for more.
struct LaneTraffic::Users {
  std::vector<std::uint8_t> links;
  std::vector<std::uint8_t> leave;
  std::vector<std::uint8_t> reach;

  static void add(std::uint8_t& count) { count = std::min<std::uint8_t>(2, count + 1U); }
};

namespace {

/// A lane that meets no other, with what decides when its samples come.
struct LoneLane {
  std::uint32_t place;  ///< in the way's lanes
  std::int64_t bytes;   ///< of a sample, at least 1
  Picoseconds latency;
  double rate;  ///< bytes a picosecond
};

/// Parts lone lanes into those that may be the last to bring some sample and the others.
///
/// Sample k comes over a lane of latency L that takes s = bytes / rate a sample at max over j <= k
/// of t(j) + L + (k - j + 1) s, where t(j) is when sample j was sent. So a lane is never the last
/// if another one has at least its s and at least its L + s. Times are rounded up to picoseconds:
/// only lanes of one rate are compared, where s goes by bytes, and L + s must be longer by a whole
/// picosecond where L is not at least as long. O(n log n).
void leave_out(std::vector<LoneLane> lone, SentLanes& way) {
  std::sort(lone.begin(), lone.end(), [](const LoneLane& a, const LoneLane& b) {
    return std::tuple(a.rate, b.bytes, b.latency, a.place) <
           std::tuple(b.rate, a.bytes, a.latency, b.place);
  });
  // Of the lanes sent at this rate, none of which has fewer bytes than the next lane.
  Picoseconds longest_latency = -1;
  double longest_alone = 0;
  for (std::size_t i = 0; i < lone.size(); ++i) {
    const LoneLane& lane = lone[i];
    const double alone =
        static_cast<double>(lane.latency) + static_cast<double>(lane.bytes) / lane.rate;
    const bool first = i == 0 || lone[i - 1].rate != lane.rate;
    if (!first && (longest_latency >= lane.latency || longest_alone >= alone + 1)) {
      way.left_out.push_back(lane.place);
      continue;
    }
    way.sent.push_back(lane.place);
    longest_latency = first ? lane.latency : std::max(longest_latency, lane.latency);
    longest_alone = first ? alone : std::max(longest_alone, alone);
  }
}

}  // namespace

LaneTraffic::LaneTraffic(const PipelineSpec& spec, const Mesh& mesh, bool all)
    : spec_(spec), mesh_(mesh), ways_(2 * spec.channels.size()) {
  Users users;
  if (!all) {
    users.links.assign(mesh.link_count(), 0);
    users.leave.assign(mesh.node_count(), 0);
    users.reach.assign(mesh.node_count(), 0);
    const auto count = [&](const Lane& lane, bool back) {
      if (!lane.passes_by) {
        Users::add(users.leave[mesh.node(back ? lane.to : lane.from)]);
        Users::add(users.reach[mesh.node(back ? lane.from : lane.to)]);
      }
      for_each_link(mesh, path_route(mesh, lane, back),
                    [&](LinkIndex link) { Users::add(users.links[link]); });
    };
    for (const StageSpec& stage : spec.stages) {
      for (const OwnTransfer& own : stage.own) count(own.lane, false);
    }
    for (const ChannelSpec& channel : spec.channels) {
      for (const bool gradient : {false, true}) {
        if (gradient && (!spec.training || channel.is_outside())) continue;
        const bool back = channel.goes_back(gradient);
        for (const Lane& lane : channel.lanes_of(gradient)) count(lane, back);
      }
    }
  }
  for (std::size_t channel = 0; channel < spec.channels.size(); ++channel) {
    choose(channel, false, users);
    choose(channel, true, users);
  }
}

bool LaneTraffic::meets_none(const Route& route, NodeIndex end, const Users& users) const {
  bool alone = users.leave[route.source] == 1 && users.reach[end] == 1;
  for_each_link(mesh_, route, [&](LinkIndex link) { alone = alone && users.links[link] == 1; });
  return alone;
}

void LaneTraffic::choose(std::size_t index, bool gradient, const Users& users) {
  const ChannelSpec& channel = spec_.channels[index];
  const std::vector<Lane>& lanes = channel.lanes_of(gradient && !channel.is_outside());
  SentLanes& way = ways_[2 * index + (gradient ? 1 : 0)];
  const bool all = users.links.empty() || channel.is_outside() || (gradient && !spec_.training);
  const bool back = channel.goes_back(gradient && !channel.is_outside());
  std::vector<LoneLane> lone;
  for (std::uint32_t i = 0; i < lanes.size(); ++i) {
    const Lane& lane = lanes[i];
    const std::int64_t bytes = channel.part(lanes, i, channel.bytes);
    if (!all && !lane.path.empty() && lane.colour && bytes > 0) {
      const Route route = path_route(mesh_, lane, back);
      if (meets_none(route, mesh_.node(back ? lane.from : lane.to), users)) {
        lone.push_back({i, bytes, route_latency(mesh_, route), slowest_rate(mesh_, route)});
        continue;
      }
    }
    way.sent.push_back(i);
  }
  leave_out(std::move(lone), way);
  std::sort(way.sent.begin(), way.sent.end());
  std::sort(way.left_out.begin(), way.left_out.end());
}

Int128 LaneTraffic::count_left_out(std::size_t index, bool gradient, std::int64_t shipments,
                                   LinkBytes& bytes) const {
  Int128 moved = 0;
  const ChannelSpec& channel = spec_.channels[index];
  const std::vector<Lane>& lanes = channel.lanes_of(gradient);
  for (const std::uint32_t i : of(index, gradient).left_out) {
    const std::int64_t part = channel.part(lanes, i, channel.bytes);
    const Route route = path_route(mesh_, lanes[i], channel.goes_back(gradient));
    bytes.count(route, part * shipments);
    moved += Int128(part) * shipments * link_count(route);
  }
  return moved;
}

}  // namespace waferloom::sim
