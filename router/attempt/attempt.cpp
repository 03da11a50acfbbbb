#include "router/attempt/attempt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "router/buffers/edge_buffers.h"
#include "router/colours/colouring.h"
#include "router/detailed/lane_bytes.h"
#include "router/detailed/lane_router.h"
#include "router/relaxation/relaxation.h"

// Problem: give every tensor of a traffic lanes with ends, paths, colours and bytes, so that the
// busiest link is as little loaded as possible.
// Idea: from coarse to fine. Choose the ends of each tensor. Find a lower bound, and give up if it
// is too high. Find a fractional flow over cells. Lay each lane along the flow's paths, with rip-up
// and reroute. Colour the lanes. Move bytes from busy lanes to others. Choose the buffers.
// Source: the flow is Garg and Könemann's (1998), reroute is PathFinder (1995); the chain is ours
// (docs/router.md).
// Cost: that of its steps; rounds of the flow and passes of the lanes limit it.
namespace waferloom::router {
namespace {

/// Prices are rounded down to multiples of 1 / kPriceSteps.
constexpr double kPriceSteps = 1e9;
/// Rounds in which bytes move from busy lanes to others.
constexpr std::int64_t kBalanceRounds = 64;
/// The part of a tile's colours that lanes may use. Some colours stay free, because a lane needs
/// the same colour on all its tiles.
constexpr float kColoursUsed = 0.7F;

class AttemptRun {
 public:
  AttemptRun(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options)
      : traffic_(traffic),
        hardware_(hardware),
        options_(options),
        relaxation_(traffic, hardware, options.cell),
        mesh_(relaxation_.mesh()),
        limited_(relaxation_.limited()),
        grid_(relaxation_.grid()),
        ends_(relaxation_.ends()) {}

  Attempt run(const AttemptLimits& limits) {
    Attempt done;
    if (find_ends()) {
      relaxation_.find_bound();
      done.first_bound_ps = bound_ps();
      done.given_up = bound_ps() >= limits.worth_ps;
      if (limits.lanes_max > hardware_.routing.lanes_max) {
        relaxation_.bound_more_lanes(limits.lanes_max);
      }
      done.lacks_colours = !has_colours();
      if (!done.given_up && !done.lacks_colours && find_flow() && lay_lanes()) write_routes();
    }
    result_.bound_ps = bound_ps();
    result_.proof = relaxation_.bound().proof;
    for (const TensorEnds& ends : ends_) done.most_lanes = std::max(done.most_lanes, ends.lanes);
    done.is_cut_off = is_cut_off_;
    done.result = std::move(result_);
    return done;
  }

 private:
  /// False if a lane finds no path, or a tensor no colour.
  bool lay_lanes() {
    LaneRouterOptions options;
    options.passes = options_.passes;
    options.bound_ps = bound_ps();
    options.enough_ps = options_.to_the_bound ? 0 : easy_ps();
    options.target_ps = target_ps_;
    options.control = options_.control;
    LaneRouter router(grid_, limited_, room_for_lanes(), options);
    const std::ptrdiff_t without = router.route(lanes_);
    if (without >= 0) return cut_off(lanes_[static_cast<std::size_t>(without)].tensor);
    const ColouringResult colours = colour_lanes(lanes_, traffic_, hardware_, router);
    if (const auto none = leave_out(lanes_, colours.without)) {
      const TilePlace& tile = none->fullest;
      result_.infeasible =
          fmt::format("no colour is left for a lane of tensor {} at tile ({}, {})",
                      traffic_.tensors[lanes_[none->lane].tensor].name, tile.x, tile.y);
      return false;
    }
    result_.colours = colours.most;
    balance();
    return true;
  }

  /// If links bind, moves bytes from lanes on busy links to other lanes.
  void balance() {
    const double enough =
        std::max(options_.to_the_bound ? 0.0 : period_ps(), kNearBound * bound_ps());
    if (busiest_of(lanes_, limited_) <= enough) return;
    balance_lane_bytes(lanes_, traffic_, hardware_, limited_, kBalanceRounds);
  }

  /// False if more tensors begin and end at a tile than it has colours.
  bool has_colours() {
    const auto crowded = crowded_end(traffic_, ends_, hardware_);
    if (!crowded) return true;
    result_.infeasible =
        fmt::format("{} tensors begin or end at tile ({}, {}), which has {} colours",
                    crowded->tensors, crowded->tile.x, crowded->tile.y, crowded->colours);
    return false;
  }

  double period_ps() const { return static_cast<double>(traffic_.period_ps); }
  double easy_ps() const { return kEasy * period_ps(); }

  bool find_ends() {
    const auto none = relaxation_.find_ends(options_.to_the_bound ? Relaxation::Lanes::most
                                                                  : Relaxation::Lanes::enough);
    return !none || cut_off(*none);
  }
  double bound_ps() const { return relaxation_.bound().time_ps; }

  /// Reports that no path joins the ends of a tensor.
  bool cut_off(std::size_t tensor) {
    result_.infeasible = relaxation_.cut_off_text(tensor);
    is_cut_off_ = true;
    return false;
  }

  bool find_flow() {
    cut_lanes();
    FlowOptions options;
    options.rounds = options_.rounds;
    options.enough_ps = easy_ps();
    options.to_the_bound = options_.to_the_bound;
    options.control = options_.control;
    flow_ = concurrent_flow(grid_, groups_, relaxation_.whole_tensors(), options);
    if (flow_.cut_off) return cut_off(lanes_[first_of_group_[*flow_.cut_off]].tensor);
    result_.flow_ps = flow_.most_ps;
    relaxation_.raise(flow_);
    target_ps_ =
        std::max({bound_ps(), flow_.most_ps, options_.to_the_bound ? 0 : easy_ps() / 2, 1.0});
    guide_lanes();
    return true;
  }

  /// Sets the lanes of each tensor. Lanes of a tensor between the same two cells form a group.
  void cut_lanes() {
    const double way_bytes = options_.to_the_bound ? std::numeric_limits<double>::infinity()
                                                   : easy_ps() * mesh_.tile_bytes_per_ps();
    std::vector<std::int64_t> bytes;
    for (const TrafficTensor& tensor : traffic_.tensors) bytes.push_back(tensor.bytes);
    const std::vector<std::vector<LaneTask>> tasks = all_lane_ends(ends_, bytes, mesh_, way_bytes);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      std::map<std::pair<CellIndex, CellIndex>, std::size_t> groups;
      for (const LaneTask& task : tasks[i]) {
        const CellIndex from = grid_.cell_at(task.from.tile);
        const CellIndex to = grid_.cell_at(task.to.tile);
        const auto [at, is_new] = groups.try_emplace({from, to}, groups_.size());
        if (is_new) {
          groups_.push_back({{from}, {to}, 0, 0});
          first_of_group_.push_back(lanes_.size());
        }
        groups_[at->second].bytes += task.bytes;
        ++groups_[at->second].lanes;
        group_of_.push_back(at->second);
        lanes_.push_back({task, i});
      }
    }
  }

  /// Gives the lanes of each group the paths of its flow, in proportion to the paths' shares.
  /// Neighbouring lanes get the same path.
  void guide_lanes() {
    const double rate = limited_.tile_bytes_per_ps();
    std::vector<std::int64_t> seen(groups_.size(), 0);
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const std::size_t group = group_of_[i];
      const double at =
          (static_cast<double>(seen[group]++) + 0.5) / static_cast<double>(groups_[group].lanes);
      double sum = 0;
      for (const FlowPath& path : flow_.paths[group]) {
        lanes_[i].task.guide = &path;
        sum += path.share;
        if (sum > at) break;
      }
      const double full = static_cast<double>(lanes_[i].task.bytes) / rate / target_ps_;
      lanes_[i].part = static_cast<float>(full);
    }
  }

  /// Lanes that may cross each tile.
  std::vector<float> room_for_lanes() const {
    const RoutingSpec& rules = hardware_.routing;
    const auto room = [](std::int64_t colours) {
      return std::max(1.0F, kColoursUsed * static_cast<float>(colours));
    };
    std::vector<float> rooms(mesh_.node_count(), room(rules.colours));
    for (const TrafficBlock& block : traffic_.blocks) {
      for (std::int64_t y = 0; y < block.tiles.height; ++y) {
        const auto first = rooms.begin() + mesh_.node({block.tiles.x, block.tiles.y + y});
        std::fill(first, first + block.tiles.width, room(rules.colours - rules.kernel_colours));
      }
    }
    return rooms;
  }

  void write_routes() {
    Routes& routes = result_.routes;
    routes.hardware = hardware_.name;
    routes.columns = hardware_.wafer.width;
    routes.rows = hardware_.wafer.height;
    for (const TrafficTensor& tensor : traffic_.tensors) {
      routes.tensors.push_back({tensor.name, tensor.bytes, {}});
    }
    for (LanePath& lane : lanes_) {
      RoutedLane routed{lane.task.from.tile, lane.task.to.tile, lane.task.bytes,
                        std::move(lane.legs), lane.colour};
      for (const EndTile* end : {&lane.task.from, &lane.task.to}) {
        if (end->port != SIZE_MAX) routed.port = end->port;
      }
      result_.hops += hops_of(routed.path);
      routes.tensors[lane.tensor].lanes.push_back(std::move(routed));
    }
    result_.lanes = static_cast<std::int64_t>(lanes_.size());
    result_.busiest = busiest_link(routes, mesh_);
    result_.busiest_tile = busiest_tile(tile_ways_of(routes, mesh_), mesh_);
    result_.port_ps = busiest_port_ps(routes, traffic_);
    find_prices();
    choose_buffers();
    tell_end();
  }

  /// Sets each tensor's price of a hop, as a share of the busiest link's time.
  void find_prices() {
    const std::vector<double>& tolls = relaxation_.bound().tolls;
    for (std::size_t i = 0; i < tolls.size(); ++i) {
      const double way = std::max(1.0, mean_hops(result_.routes.tensors[i]));
      const double busiest = result_.busiest.time_ps;
      const double price = busiest > 0 ? tolls[i] / busiest / way : 0;
      result_.routes.tensors[i].price = std::floor(price * kPriceSteps) / kPriceSteps;
    }
  }

  /// Chooses buffers for forward passes. In training the schedule sets the samples in flight.
  void choose_buffers() {
    const auto is_gradient = [](const TrafficTensor& tensor) {
      return tensor.kind == TensorKind::gradient;
    };
    if (std::any_of(traffic_.tensors.begin(), traffic_.tensors.end(), is_gradient)) return;
    const EdgeBuffers buffers = edge_buffers(traffic_, hardware_, mesh_, result_.routes);
    for (std::size_t i = 0; i < buffers.samples.size(); ++i) {
      if (buffers.samples[i] > 0) result_.routes.tensors[i].buffer_samples = buffers.samples[i];
    }
    result_.buffer_bytes = buffers.bytes;
    result_.period_ps = buffers.period_ps;
    result_.unlimited_ps = buffers.unlimited_ps;
    result_.buffers_fit = buffers.fits;
    if (buffers.short_edge) result_.short_edge = traffic_.tensors[*buffers.short_edge].name;
  }

  void tell_end() {
    if (result_.longest_ps() <= kNearBound * bound_ps()) {
      result_.end = RouteEnd::at_bound;
    } else if (!is_binding(result_, traffic_)) {
      result_.end = RouteEnd::not_binding;
    } else if (options_.control.is_cut()) {
      result_.end = RouteEnd::stopped;
    }
  }

  const Traffic& traffic_;
  const Hardware& hardware_;
  const RouteOptions& options_;
  Relaxation relaxation_;
  const Mesh& mesh_;
  const Mesh& limited_;  // the same mesh, with a limit for every link
  const CellGrid& grid_;
  const std::vector<TensorEnds>& ends_;  // by tensor
  std::vector<LanePath> lanes_;          // tensor by tensor
  std::vector<std::size_t> group_of_;    // by lane
  std::vector<Commodity> groups_;        // lanes of a tensor between the same two cells
  std::vector<std::size_t> first_of_group_;
  FlowResult flow_;  // by group
  double target_ps_ = 1;
  bool is_cut_off_ = false;
  RouteResult result_;
};

}  // namespace

bool is_binding(const RouteResult& found, const Traffic& traffic) {
  const auto period = static_cast<double>(traffic.period_ps);
  return std::max(found.busiest.time_ps, found.busiest_tile.time_ps) > period ||
         found.port_ps > kNearBound * period;
}

Attempt attempt(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options,
                const AttemptLimits& limits) {
  return AttemptRun(traffic, hardware, options).run(limits);
}

}  // namespace waferloom::router
