#include "sim/from_plan/stage_exchanges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/mesh/route.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline/stage_service.h"

namespace waferloom::sim {
namespace {

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
      : plan_(plan), hardware_(hardware), mesh_(mesh), tiles_(tiles) {}

  void add(const ExchangeUse& use) {
    for (const Phase& phase : phases_of(use)) {
      for (const Flow& flow : phase.flows) {
        const std::int64_t steps =
            std::min(flow.count, std::max<std::int64_t>(0, phase.steps - flow.first));
        const std::int64_t whole = steps * flow.share.bytes_of(use.bytes);
        const std::int64_t bytes = use.is_half ? whole / 2 : whole;
        OwnTransfer& own = flows_[{mesh_.node(flow.from), mesh_.node(flow.to)}];
        switch (use.when) {
          case ExchangeUse::When::forward:
            own.forward_bytes += bytes;
            break;
          case ExchangeUse::When::backward:
            own.backward_bytes += bytes;
            break;
          case ExchangeUse::When::update:
            own.update_bytes += bytes;
            break;
        }
      }
    }
  }

  /// Those that use what others do, with their paths.
  std::vector<OwnTransfer> meeting(const Used& used) {
    RoutePlanner planner(mesh_, Routing::xy);
    std::vector<OwnTransfer> all;
    for (auto& [ends, own] : flows_) {
      const auto route = planner.plan(ends.first, ends.second, 0, 0);
      if (!route) continue;
      bool meets = false;
      for_each_link(mesh_, *route, [&](LinkIndex link) { meets = meets || used.has(link); });
      if (!meets) continue;
      own.lane = lane_of(ends.first, ends.second, *route);
      all.push_back(own);
    }
    return all;
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, int>;

  const Phases& phases_of(const ExchangeUse& use) {
    const Degrees& cut = use.degrees;
    const Key key{cut.batch, cut.rows, cut.out, cut.in,
                  use.among ? static_cast<int>(*use.among) : -1};
    const auto known = phases_.find(key);
    if (known != phases_.end()) return known->second;
    return phases_.emplace(key, exchange_phases(plan_, hardware_, tiles_, use)).first->second;
  }

  Lane lane_of(NodeIndex from, NodeIndex to, const Route& route) const {
    Lane lane{{mesh_.x(from), mesh_.y(from)}, {mesh_.x(to), mesh_.y(to)}};
    for_each_link(mesh_, route, [&](LinkIndex link) {
      const Direction direction = Mesh::direction(link);
      if (lane.path.empty() || lane.path.back().direction != direction) {
        lane.path.push_back({direction, 0});
      }
      ++lane.path.back().hops;
    });
    return lane;
  }

  const Plan& plan_;
  const Hardware& hardware_;
  const Mesh& mesh_;
  const Rectangle& tiles_;
  std::map<Key, Phases> phases_;
  std::map<std::pair<NodeIndex, NodeIndex>, OwnTransfer> flows_;
};

}  // namespace

void add_own_transfers(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
                       Routing routing, PipelineSpec& spec) {
  if (mesh.is_switched()) return;
  const Used used(spec, mesh, routing);
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const Rectangle& tiles = planned.tiles_of(i);
    // Ways around what is dead may leave the tiles.
    if (!mesh.has_dead() && !used.touches(tiles)) continue;
    const Plan own = planned.plan.of_part(i);
    StageFlows flows(own, hardware, mesh, tiles);
    for (const ExchangeUse& use : planned.services[i].exchanges) flows.add(use);
    spec.stages[i].own = flows.meeting(used);
  }
}

}  // namespace waferloom::sim
