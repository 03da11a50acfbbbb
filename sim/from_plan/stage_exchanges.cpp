#include "sim/from_plan/stage_exchanges.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "sim/mesh/route.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline/stage_service.h"

namespace waferloom::sim {
namespace {

/// Flows of exchanges that go through the network in one run: more would take it hours.
constexpr std::size_t kMostFlowsMeeting = 10'000;

/// What transfers between stages, and over the edge, use of a mesh.
class Used {
 public:
  Used(const PipelineSpec& spec, const Mesh& mesh, Routing routing)
      : mesh_(mesh), links_(mesh.link_count(), false), tiles_(mesh.node_count(), false) {
    std::vector<Routing> ways{routing};
    if (!is_fixed(routing)) ways = {Routing::xy, Routing::yx};
    for (const Routing way : ways) {
      RoutePlanner planner(mesh, way);
      for (const ChannelSpec& channel : spec.channels) add(spec, channel, planner);
    }
  }

  bool has(LinkIndex link) const { return links_[link]; }
  /// Whether any of it uses some of these tiles, or links out of them.
  bool touches(const Rectangle& tiles) const {
    for (std::int64_t y = tiles.y; y < tiles.y + tiles.height; ++y) {
      for (std::int64_t x = tiles.x; x < tiles.x + tiles.width; ++x) {
        if (tiles_[mesh_.node({x, y})]) return true;
      }
    }
    return false;
  }

 private:
  void add(const PipelineSpec& spec, const ChannelSpec& channel, RoutePlanner& planner) {
    for (const bool gradient : {false, true}) {
      if (gradient && (!spec.training || channel.is_outside())) continue;
      for (const Lane& lane : channel.lanes_of(gradient)) {
        const auto route = lane_route(mesh_, planner, lane, channel.goes_back(gradient), 0, 0);
        if (!route) continue;
        for_each_link(mesh_, *route, [&](LinkIndex link) {
          links_[link] = true;
          tiles_[Mesh::source(link)] = true;
        });
      }
    }
  }

  const Mesh& mesh_;
  std::vector<bool> links_;
  std::vector<bool> tiles_;  // that such links leave
};

/// The flows of a stage's exchanges, all steps together.
class StageFlows {
 public:
  StageFlows(const Plan& plan, const Hardware& hardware, const Mesh& mesh, const Rectangle& tiles)
      : plan_(plan), hardware_(hardware), mesh_(mesh), tiles_(tiles), planner_(mesh, Routing::xy) {}

  /// What alike exchanges move counts together.
  void add(const ExchangeUse& use) {
    const Degrees& cut = use.degrees;
    const int among = use.among ? static_cast<int>(*use.among) : -1;
    Alike& alike = alike_[{cut.batch, cut.rows, cut.out, cut.in, among, use.is_half ? 1 : 0}];
    alike.use = use;
    alike.bytes[static_cast<std::size_t>(use.when)] += use.bytes;
  }

  /// The flows that use what others do, with their paths.
  std::vector<OwnTransfer> contention(const Used& used) {
    for (const auto& [key, alike] : alike_) {
      for (const Phase& phase : exchange_phases(plan_, hardware_, tiles_, alike.use)) {
        for (const Flow& flow : phase.flows) add_flow(flow, phase.steps, alike, used);
      }
    }
    std::vector<OwnTransfer> all;
    for (auto& [ends, own] : flows_) all.push_back(std::move(own));
    return all;
  }

 private:
  /// Exchanges that go alike.
  struct Alike {
    ExchangeUse use;
    std::array<std::int64_t, 3> bytes{};  // by ExchangeUse::When
  };

  void add_flow(const Flow& flow, std::int64_t steps, const Alike& alike, const Used& used) {
    const NodeIndex from = mesh_.node(flow.from);
    const NodeIndex to = mesh_.node(flow.to);
    const auto route = planner_.plan(from, to, 0, 0);
    if (!route) return;
    bool meets = false;
    for_each_link(mesh_, *route, [&](LinkIndex link) { meets = meets || used.has(link); });
    if (!meets) return;
    const auto [at, is_new] = flows_.try_emplace({from, to});
    OwnTransfer& own = at->second;
    if (is_new) own.lane = lane_of(from, to, *route);
    const std::int64_t sent = std::min(flow.count, std::max<std::int64_t>(0, steps - flow.first));
    const auto bytes = [&](ExchangeUse::When when) {
      const std::int64_t all =
          sent * flow.share.bytes_of(alike.bytes[static_cast<std::size_t>(when)]);
      return alike.use.is_half ? all / 2 : all;
    };
    own.forward_bytes += bytes(ExchangeUse::When::forward);
    own.backward_bytes += bytes(ExchangeUse::When::backward);
    own.update_bytes += bytes(ExchangeUse::When::update);
  }

  Lane lane_of(NodeIndex from, NodeIndex to, const Route& route) const {
    Lane lane{{mesh_.x(from), mesh_.y(from)}, {mesh_.x(to), mesh_.y(to)}};
    for (const Leg& leg : route.legs) lane.path.push_back({leg.direction, leg.hops});
    return lane;
  }

  const Plan& plan_;
  const Hardware& hardware_;
  const Mesh& mesh_;
  const Rectangle& tiles_;
  RoutePlanner planner_;
  std::map<std::array<std::int64_t, 6>, Alike> alike_;
  std::map<std::pair<NodeIndex, NodeIndex>, OwnTransfer> flows_;
};

}  // namespace

void add_own_transfers(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
                       Routing routing, PipelineSpec& spec) {
  if (mesh.is_switched()) return;
  const Used used(spec, mesh, routing);
  std::size_t flows_left = kMostFlowsMeeting;
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const Rectangle& tiles = planned.tiles_of(i);
    // Ways around what is dead may leave the tiles.
    if (!mesh.has_dead() && !used.touches(tiles)) continue;
    const Plan own = planned.plan.of_part(i);
    StageFlows flows(own, hardware, mesh, tiles);
    for (const ExchangeUse& use : planned.services[i].exchanges) flows.add(use);
    std::vector<OwnTransfer> met = flows.contention(used);
    if (met.size() > flows_left) continue;
    flows_left -= met.size();
    spec.stages[i].own = std::move(met);
  }
}

}  // namespace waferloom::sim
