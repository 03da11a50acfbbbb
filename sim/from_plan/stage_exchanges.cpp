#include "sim/from_plan/stage_exchanges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "sim/from_plan/stage_service.h"
#include "sim/mesh/link_bytes.h"
#include "sim/mesh/route.h"
#include "sim/mesh/route_planner.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/sample_routes.h"
#include "sim/plan_pipeline.h"

// Problem: say what the exchanges of stages put on links, and let those that meet other bytes meet
// them in the network.
// Idea: count what tensors put on each link. A flow whose route uses none of these links is counted
// and stays out of the network; the others go through it. Of too many flows, what they put together
// on each link that others use goes there, as a transfer over that link. On links of their own the
// bytes of a sample say how long it takes at least.
// Source: ours (docs/simulator.md). Cost: O(hops of lanes + flows · hops).
namespace waferloom::sim {
namespace {

constexpr std::size_t kWhens = 3;  // forward, backward, update

/// The bytes of a sample that tensors and streams put on links, and which tiles these leave.
class TensorLinks {
 public:
  TensorLinks(const PipelineSpec& spec, const Mesh& mesh, Routing routing)
      : mesh_(mesh),
        bytes_(mesh.link_count(), 0),
        links_(mesh.link_count(), false),
        tiles_(mesh.node_count(), false) {
    std::vector<Routing> ways{routing};
    if (!is_fixed(routing)) ways = {Routing::xy, Routing::yx};
    for (const Routing way : ways) {
      RoutePlanner planner(mesh, way);
      for_each_sample_lane(spec, [&](const Lane& lane, bool back, std::int64_t bytes) {
        const auto route = lane_route(mesh_, planner, lane, back, 0, 0);
        if (!route) return;
        for_each_link(mesh_, *route, [&](LinkIndex link) {
          bytes_[link] += bytes;
          links_[link] = true;
          tiles_[Mesh::source(link)] = true;
        });
      });
    }
  }

  std::vector<std::int64_t>& bytes() { return bytes_; }
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
  const Mesh& mesh_;
  std::vector<std::int64_t> bytes_;
  std::vector<bool> links_;  // also those of what moves once a batch
  std::vector<bool> tiles_;  // that such links leave
};

/// The flows of a stage's exchanges, all steps together.
class StageFlows {
 public:
  StageFlows(const Plan& plan, const Hardware& hardware, const Mesh& mesh, const Rectangle& tiles,
             const std::vector<ExchangeUse>& exchanges, const RunControl& control)
      : plan_(plan),
        hardware_(hardware),
        mesh_(mesh),
        tiles_(tiles),
        control_(control),
        planner_(mesh, Routing::xy) {
    for (const ExchangeUse& use : exchanges) add(use);
  }

  /// Calls visit(from, to, route, bytes by ExchangeUse::When) for every flow.
  template <typename Visit>
  void for_each(Visit&& visit) {
    constexpr std::size_t kFlowsBetweenQuestions = 1024;
    std::size_t seen = 0;
    for (const auto& [key, alike] : alike_) {
      const Rectangle& tiles = alike.use.tiles ? *alike.use.tiles : tiles_;
      for (const Phase& phase : exchange_phases(plan_, hardware_, tiles, alike.use)) {
        for (const Flow& flow : phase.flows) {
          if (seen++ % kFlowsBetweenQuestions == 0) control_.end_if_cut();
          const NodeIndex from = mesh_.node(flow.from);
          const NodeIndex to = mesh_.node(flow.to);
          const auto route = planner_.plan(from, to, 0, 0);
          if (route) visit(from, to, *route, bytes_of(flow, phase.steps, alike));
        }
      }
    }
  }

 private:
  /// Exchanges that go alike.
  struct Alike {
    ExchangeUse use;
    std::array<std::int64_t, kWhens> bytes{};
  };

  /// What alike exchanges move counts together.
  void add(const ExchangeUse& use) {
    const Degrees& cut = use.degrees;
    const int among = use.among ? static_cast<int>(*use.among) : -1;
    const BorderRows rows = use.border.value_or(BorderRows{});
    const auto transfer = static_cast<std::int64_t>(use.transfer ? use.transfer->id : 0);
    const Rectangle part = use.tiles.value_or(Rectangle{});
    Alike& alike = alike_[{cut.batch, cut.rows, cut.out, cut.in, cut.experts, among,
                           static_cast<std::int64_t>(use.kind), rows.own, rows.before, rows.behind,
                           transfer, part.x, part.y, part.width, part.height}];
    alike.use = use;
    alike.bytes[static_cast<std::size_t>(use.when)] += use.bytes;
  }

  static std::array<std::int64_t, kWhens> bytes_of(const Flow& flow, std::int64_t steps,
                                                   const Alike& alike) {
    const std::int64_t sent = std::min(flow.count, std::max<std::int64_t>(0, steps - flow.first));
    std::array<std::int64_t, kWhens> bytes{};
    for (std::size_t when = 0; when < kWhens; ++when) {
      const std::int64_t all = sent * flow.share.bytes_of(alike.bytes[when]);
      bytes[when] = alike.use.kind == CollectiveKind::all_gather ? all / 2 : all;
    }
    return bytes;
  }

  const Plan& plan_;
  const Hardware& hardware_;
  const Mesh& mesh_;
  const Rectangle& tiles_;
  const RunControl& control_;
  RoutePlanner planner_;
  std::map<std::array<std::int64_t, 15>, Alike> alike_;
};

Lane lane_along(const Mesh& mesh, NodeIndex from, NodeIndex to, const Route& route) {
  Lane lane{{mesh.x(from), mesh.y(from)}, {mesh.x(to), mesh.y(to)}};
  for (const Leg& leg : route.legs) lane.path.push_back({leg.direction, leg.hops});
  return lane;
}

/// Whether what all stages exchange stays on their tiles.
bool all_stay_inside(const PlannedPipeline& planned, const Mesh& mesh) {
  for (std::size_t i = 0; i < planned.services.size(); ++i) {
    if (!routes_stay_inside(mesh, planned.tiles_of(i))) return false;
  }
  return true;
}

/// Parts the flows of all stages into those in the network and those apart from it.
class Exchanges {
 public:
  Exchanges(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
            Routing routing, NetworkKind network, PipelineSpec& spec, const RunControl& control,
            std::size_t most_flows)
      : planned_(planned),
        hardware_(hardware),
        mesh_(mesh),
        spec_(spec),
        control_(control),
        meets_(network != NetworkKind::analytic),
        may_leave_(!all_stay_inside(planned, mesh)),
        tensors_(spec, mesh, routing),
        shared_(mesh.link_count(), false),
        counted_{LinkBytes(mesh), LinkBytes(mesh), LinkBytes(mesh)},
        flows_left_(most_flows) {}

  void add() {
    if (meets_ && may_leave_ && !mesh_.is_switched()) find_shared();
    for (std::size_t i = 0; i < spec_.stages.size(); ++i) add_stage(i);
    if (meets_) keep_within_links();
  }

 private:
  using Bytes = std::array<std::int64_t, kWhens>;

  template <typename Visit>
  void for_each_flow(std::size_t stage, Visit&& visit) {
    const Plan own = planned_.plan.of_part(stage);
    StageFlows(own, hardware_, mesh_, planned_.tiles_of(stage), planned_.services[stage].exchanges,
               control_)
        .for_each(visit);
  }

  bool is_met(LinkIndex link) const { return tensors_.has(link) || shared_[link]; }
  bool meets_others(const Route& route) const {
    bool meets = false;
    for_each_link(mesh_, route, [&](LinkIndex link) { meets = meets || is_met(link); });
    return meets;
  }

  /// Ways around what is dead may leave a stage's tiles and meet another stage's exchanges.
  void find_shared() {
    constexpr std::uint32_t kNobody = UINT32_MAX;
    std::vector<std::uint32_t> users(mesh_.link_count(), kNobody);
    for (std::size_t i = 0; i < spec_.stages.size(); ++i) {
      const auto user = static_cast<std::uint32_t>(spec_.worker(i));
      for_each_flow(i, [&](NodeIndex, NodeIndex, const Route& route, const Bytes&) {
        for_each_link(mesh_, route, [&](LinkIndex link) {
          if (users[link] == kNobody) users[link] = user;
          shared_[link] = shared_[link] || users[link] != user;
        });
      });
    }
  }

  /// How a stage's flows that meet others go through the network.
  enum class Meet : std::uint8_t {
    not_at_all,
    as_flows,  ///< each from end to end
    as_links,  ///< all together on each link that is met
  };

  static void add(const Bytes& bytes, OwnTransfer& own) {
    own.forward_bytes += bytes[0];
    own.backward_bytes += bytes[1];
    own.update_bytes += bytes[2];
  }

  void add_stage(std::size_t index) {
    const bool may_meet = meets_ && !mesh_.is_switched() &&
                          (may_leave_ || tensors_.touches(planned_.tiles_of(index)));
    if (!may_meet) return count_apart(index, Meet::not_at_all);
    std::map<std::pair<NodeIndex, NodeIndex>, OwnTransfer> met;
    for_each_flow(index, [&](NodeIndex from, NodeIndex to, const Route& route, const Bytes& bytes) {
      if (met.size() > flows_left_ || !meets_others(route)) return;
      const auto [at, is_new] = met.try_emplace({from, to});
      if (is_new) at->second.lane = lane_along(mesh_, from, to, route);
      add(bytes, at->second);
    });
    if (met.size() > flows_left_) {
      add_links(index);
      return count_apart(index, Meet::as_links);
    }
    flows_left_ -= met.size();
    for (auto& [ends, own] : met) spec_.stages[index].own.push_back(std::move(own));
    count_apart(index, Meet::as_flows);
  }

  void add_links(std::size_t index) {
    std::map<LinkIndex, OwnTransfer> met;
    for_each_flow(index, [&](NodeIndex, NodeIndex, const Route& route, const Bytes& bytes) {
      for_each_link(mesh_, route, [&](LinkIndex link) {
        if (is_met(link)) add(bytes, met[link]);
      });
    });
    for (auto& [link, own] : met) {
      const NodeIndex from = Mesh::source(link);
      const Direction direction = Mesh::direction(link);
      own.lane = {mesh_.place(from), mesh_.place(mesh_.neighbour(from, direction))};
      own.lane.path.push_back({direction, 1});
      own.lane.passes_by = true;
      spec_.stages[index].own.push_back(std::move(own));
    }
  }

  void count_apart(std::size_t index, Meet meet) {
    constexpr Int128 kMost = 4'000'000'000'000'000'000;
    auto& apart = spec_.stages[index].apart;
    Rectangle around = planned_.tiles_of(index);
    if (may_leave_) around = {0, 0, hardware_.wafer.width, hardware_.wafer.height};
    for_each_flow(index, [&](NodeIndex, NodeIndex, const Route& route, const Bytes& bytes) {
      if (meet == Meet::as_flows && meets_others(route)) return;
      std::int64_t hops = link_count(route);
      if (meet == Meet::as_links) {
        for_each_link(mesh_, route, [&](LinkIndex link) { hops -= is_met(link) ? 1 : 0; });
      }
      for (std::size_t when = 0; when < kWhens; ++when) {
        if (bytes[when] == 0) continue;
        counted_[when].count(route, bytes[when]);
        apart[when].bytes += bytes[when];
        apart[when].moved += Int128(bytes[when]) * hops;
      }
    });
    for (std::size_t when = 0; when < kWhens; ++when) {
      if (apart[when].moved > kMost / planned_.plan.micro_batches) {
        throw RequestError("the exchanges of a batch move more than 4*10^18 bytes");
      }
      if (apart[when].bytes == 0) continue;
      apart[when].links = counted_[when].take(around);
      if (meet != Meet::as_links) continue;
      std::erase_if(apart[when].links, [&](const LinkLoad& load) { return is_met(load.link); });
    }
  }

  /// A stage takes at least as long as the busiest link of its exchanges apart needs for all bytes
  /// of a sample. Where these meet nothing, it does so anyway.
  void keep_within_links() {
    std::vector<std::int64_t>& bytes = tensors_.bytes();
    const std::size_t ways = spec_.training ? 2 : 1;
    for (const StageSpec& stage : spec_.stages) {
      for (std::size_t when = 0; when < ways; ++when) {
        for (const LinkLoad& load : stage.apart[when].links) bytes[load.link] += load.bytes;
      }
    }
    std::vector<double> least(spec_.worker_count(), 0);
    std::vector<Picoseconds> taken(spec_.worker_count(), 0);
    for (std::size_t i = 0; i < spec_.stages.size(); ++i) {
      const StageSpec& stage = spec_.stages[i];
      taken[spec_.worker(i)] += stage.forward + (spec_.training ? stage.backward : 0);
      for (std::size_t when = 0; when < ways; ++when) {
        for (const LinkLoad& load : stage.apart[when].links) {
          double& most = least[spec_.worker(i)];
          most = std::max(most, link_time(mesh_, load.link, bytes[load.link]));
        }
      }
    }
    for (std::size_t i = 0; i < spec_.stages.size(); ++i) {
      const std::size_t worker = spec_.worker(i);
      const double missing = least[worker] - static_cast<double>(taken[worker]);
      if (missing <= 1e-6 * least[worker]) continue;
      const auto longer = static_cast<Picoseconds>(std::ceil(missing));
      spec_.stages[i].forward = later(spec_.stages[i].forward, longer);
      spec_.stages[i].forward_exchange = later(spec_.stages[i].forward_exchange, longer);
      taken[worker] = later(taken[worker], longer);
    }
  }

  const PlannedPipeline& planned_;
  const Hardware& hardware_;
  const Mesh& mesh_;
  PipelineSpec& spec_;
  const RunControl& control_;
  bool meets_;
  bool may_leave_;  // some stage's exchanges its tiles, around what is dead
  TensorLinks tensors_;
  std::vector<bool> shared_;  // by exchanges of several stages
  std::array<LinkBytes, kWhens> counted_;
  std::size_t flows_left_;
};

}  // namespace

void add_exchanges(const PlannedPipeline& planned, const Hardware& hardware, const Mesh& mesh,
                   Routing routing, NetworkKind network, PipelineSpec& spec,
                   const RunControl& control, std::size_t most_flows) {
  const bool any = std::any_of(planned.services.begin(), planned.services.end(),
                               [](const StageService& at) { return !at.exchanges.empty(); });
  if (!any) return;
  Exchanges(planned, hardware, mesh, routing, network, spec, control, most_flows).add();
}

}  // namespace waferloom::sim
