// The driver: ends of tensors, flow over cells, lanes, colours.

#include "router/route.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "router/buffers/edge_buffers.h"
#include "router/colours/colouring.h"
#include "router/detailed/lane_router.h"
#include "router/flow/cell_grid.h"
#include "router/flow/concurrent_flow.h"
#include "router/flow/tensor_ends.h"

namespace waferloom::router {
namespace {

/// Cells of a mesh's side at most, besides those that kernels' borders cut off.
constexpr std::int64_t kMostCells = 128;
/// Links are meant to need no more of the slowest stage's time than this, so that tensors that meet
/// in bursts still pass in time.
constexpr double kEasy = 0.5;
/// Of a sample's time at the slowest stage, what a lane may need: little between blocks, so that
/// tensors arrive soon; more through ports, behind which the host is as slow.
constexpr double kLaneShare = 1.0 / 16;
constexpr double kPortLaneShare = 1.0 / 4;
/// A tensor with so many lanes is not given fewer where colours are short.
constexpr std::int64_t kFewLanes = 4;
/// Lanes that cross a tile of so many colours leave some of them free, since a lane needs the same
/// one on all its tiles.
constexpr float kColoursUsed = 0.7F;

void check(const Traffic& traffic, const Hardware& hardware) {
  demand_mesh(hardware, "the router");
  const Rectangle mesh{0, 0, hardware.wafer.width, hardware.wafer.height};
  for (const TrafficBlock& block : traffic.blocks) {
    if (!contains(mesh, block.tiles)) {
      throw std::invalid_argument(block.name + " is not within the hardware's mesh");
    }
  }
}

/// Bytes a picosecond of the fastest live link that leaves one of some tiles; 0 if there is none.
double fastest_way_out(const Mesh& mesh, const TensorEnd& end) {
  double fastest = 0;
  for (const EndTile& from : end) {
    for (const Direction direction : kDirections) {
      const LinkIndex link = Mesh::link(mesh.node(from.tile), direction);
      if (!mesh.is_dead_link(link)) fastest = std::max(fastest, mesh.bytes_per_ps(link));
    }
  }
  return fastest;
}

/// Rates of links without a limit, so that paths still spread: of links beside others that have one
/// so many times theirs, else a byte a picosecond.
constexpr std::int64_t kUnlimitedFactor = 100;
constexpr std::int64_t kUnlimitedRate = 1'000'000'000'000;

Hardware with_limits(Hardware hardware) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  const auto limit = [](Rate& rate, const Rate& other) {
    if (rate) return;
    rate = other ? std::min(*other, kMost / kUnlimitedFactor) * kUnlimitedFactor : kUnlimitedRate;
  };
  const Rate inside = hardware.link.bytes_per_s;
  limit(hardware.link.bytes_per_s, hardware.group_link.bytes_per_s);
  limit(hardware.group_link.bytes_per_s, inside);
  return hardware;
}

class RouteRun {
 public:
  RouteRun(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options)
      : traffic_(traffic),
        hardware_(hardware),
        options_(options),
        mesh_(hardware, link_reserve(traffic, hardware)),
        limited_(with_limits(hardware), link_reserve(traffic, hardware)),
        parts_(mesh_),
        grid_(limited_, traffic,
              std::max(options.cell,
                       (std::max(hardware.wafer.width, hardware.wafer.height) + kMostCells - 1) /
                           kMostCells)) {}

  RouteResult run() {
    most_lanes_.assign(traffic_.tensors.size(), std::numeric_limits<std::int64_t>::max());
    while (!try_once()) {
    }
    return std::move(result_);
  }

 private:
  double lane_ps(TensorKind kind) const {
    const bool inside = kind == TensorKind::edge || kind == TensorKind::gradient;
    return options_.to_the_bound
               ? 0
               : (inside ? kLaneShare : kPortLaneShare) * static_cast<double>(traffic_.period_ps);
  }
  /// False if colours were short, and fewer lanes may help.
  bool try_once() {
    find_ends();
    if (!find_flow()) return true;
    LaneRouterOptions options;
    options.passes = options_.passes;
    options.bound_ps = result_.bound_ps;
    options.enough_ps = options_.to_the_bound ? 0 : easy_ps();
    options.target_ps = target_ps_;
    options.stopped = options_.stopped;
    LaneRouter router(grid_, limited_, room_for_lanes(), options);
    const std::ptrdiff_t without = router.route(lanes_);
    if (without >= 0) {
      cut_off(lanes_[static_cast<std::size_t>(without)].tensor);
      return true;
    }
    const ColouringResult colours = colour_lanes(lanes_, traffic_, hardware_, router);
    if (colours.without) return !has_fewer_lanes(*colours.without, colours.fullest);
    result_.colours = colours.most;
    write_routes();
    tell_end();
    return true;
  }

  /// Halves the lanes of the tensor whose lane has no colour, or of that with most hops.
  bool has_fewer_lanes(std::size_t lane, const TilePlace& tile) {
    std::vector<std::int64_t> hops(traffic_.tensors.size(), 0);
    for (const LanePath& other : lanes_) hops[other.tensor] += hops_of(other.legs);
    std::size_t tensor = lanes_[lane].tensor;
    if (ends_[tensor].lanes <= kFewLanes) {
      for (std::size_t i = 0; i < hops.size(); ++i) {
        if (ends_[i].lanes <= kFewLanes) continue;
        if (ends_[tensor].lanes <= kFewLanes || hops[i] > hops[tensor]) tensor = i;
      }
    }
    if (ends_[tensor].lanes <= kFewLanes) {
      result_.infeasible = "no colour is left for a lane of tensor " +
                           traffic_.tensors[lanes_[lane].tensor].name + " at tile (" +
                           std::to_string(tile.x) + ", " + std::to_string(tile.y) + ")";
      return false;
    }
    most_lanes_[tensor] = ends_[tensor].lanes / 2;
    return true;
  }

  double easy_ps() const { return kEasy * static_cast<double>(traffic_.period_ps); }

  void find_ends() {
    ends_.clear();
    lanes_.clear();
    group_of_.clear();
    groups_.clear();
    first_of_group_.clear();
    for (std::size_t i = 0; i < traffic_.tensors.size(); ++i) {
      const TrafficTensor& tensor = traffic_.tensors[i];
      ends_.push_back(
          tensor_ends(tensor, traffic_, hardware_, mesh_, parts_, lane_ps(tensor.kind)));
      ends_.back().lanes = std::min(ends_.back().lanes, most_lanes_[i]);
    }
  }

  void cut_off(std::size_t tensor) {
    const TrafficTensor& which = traffic_.tensors[tensor];
    const auto name = [&](std::size_t block) {
      return block == TrafficTensor::kOutside ? std::string("its ports")
                                              : traffic_.blocks[block].name;
    };
    result_.infeasible = "no way from " + name(which.producer) + " to " + name(which.consumer) +
                         " for tensor " + which.name + " around what is dead";
  }

  bool find_flow() {
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      if (!ends_[i].from.empty() && !ends_[i].to.empty()) continue;
      cut_off(i);
      return false;
    }
    cut_lanes();
    FlowOptions options;
    options.rounds = options_.rounds;
    options.enough_ps = easy_ps();
    options.to_the_bound = options_.to_the_bound;
    options.stopped = options_.stopped;
    const std::vector<Commodity> tensors = whole_tensors();
    flow_ = concurrent_flow(grid_, groups_, tensors, options);
    if (flow_.cut_off) {
      cut_off(lanes_[first_of_group_[*flow_.cut_off]].tensor);
      return false;
    }
    result_.flow_ps = flow_.most_ps;
    result_.bound_ps = flow_.bound_ps;
    if (flow_.most_ps > options.enough_ps) {
      // Where links bind, prices of tensors that leave where they like prove more.
      options.to_the_bound = true;
      const FlowResult free = concurrent_flow(grid_, tensors, tensors, options);
      result_.bound_ps = std::max(result_.bound_ps, free.bound_ps);
    }
    if (result_.bound_ps <= unlimited_ps()) result_.bound_ps = 0;
    // A lane leaves by one link.
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const TrafficTensor& tensor = traffic_.tensors[i];
      if (tensor.producer == TrafficTensor::kOutside ||
          tensor.consumer == TrafficTensor::kOutside) {
        continue;
      }
      const std::int64_t lane = (tensor.bytes + ends_[i].lanes_most - 1) / ends_[i].lanes_most;
      const double rate = fastest_way_out(mesh_, ends_[i].from);
      if (rate > 0) result_.bound_ps = std::max(result_.bound_ps, static_cast<double>(lane) / rate);
    }
    target_ps_ =
        std::max({result_.bound_ps, flow_.most_ps, options_.to_the_bound ? 0 : easy_ps() / 2, 1.0});
    guide_lanes();
    return true;
  }

  /// What all bytes together would need of a link that has no limit: a bound that is no more may be
  /// one of such links alone. 0 where all have one.
  double unlimited_ps() const {
    if (hardware_.link.bytes_per_s && hardware_.group_link.bytes_per_s) return 0;
    if (!hardware_.link.bytes_per_s && !hardware_.group_link.bytes_per_s) {
      return std::numeric_limits<double>::infinity();
    }
    double bytes = 0;
    for (const TrafficTensor& tensor : traffic_.tensors) bytes += static_cast<double>(tensor.bytes);
    const double slower = std::min(mesh_.tile_bytes_per_ps(), mesh_.slowest_bytes_per_ps());
    return bytes / slower / static_cast<double>(kUnlimitedFactor);
  }

  /// Lanes of each tensor, and groups of them between the same two cells.
  void cut_lanes() {
    std::vector<std::int64_t> ramps(mesh_.node_count(), 0);
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      std::map<std::pair<CellIndex, CellIndex>, std::size_t> groups;
      for (const LaneTask& task : lane_ends(ends_[i], traffic_.tensors[i].bytes, mesh_, ramps)) {
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

  /// The tensors with all cells where they may begin and end, for the bound.
  std::vector<Commodity> whole_tensors() const {
    const auto cells = [&](const TensorEnd& end) {
      std::vector<CellIndex> list;
      for (const EndTile& tile : end) {
        const CellIndex cell = grid_.cell_at(tile.tile);
        if (list.empty() || list.back() != cell) list.push_back(cell);
      }
      return list;
    };
    std::vector<Commodity> tensors;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      tensors.push_back({cells(ends_[i].from), cells(ends_[i].to), traffic_.tensors[i].bytes});
    }
    return tensors;
  }

  /// Gives the lanes of each group the paths of its flow by their shares, those in a row the same.
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
    result_.busiest = busiest_link(link_bytes_of(routes, mesh_), mesh_);
    choose_buffers();
  }

  /// Of forward passes: in training the schedule says how many samples are under way.
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
    const double busiest = result_.busiest.time_ps;
    if (busiest <= kNearBound * result_.bound_ps) {
      result_.end = RouteEnd::at_bound;
    } else if (busiest <= static_cast<double>(traffic_.period_ps)) {
      result_.end = RouteEnd::not_binding;
    } else if (options_.stopped && options_.stopped()) {
      result_.end = RouteEnd::stopped;
    }
  }

  const Traffic& traffic_;
  const Hardware& hardware_;
  const RouteOptions& options_;
  Mesh mesh_;
  Mesh limited_;  // the same, where all links have a limit
  LiveParts parts_;
  CellGrid grid_;
  std::vector<std::int64_t> most_lanes_;  // by tensor
  std::vector<TensorEnds> ends_;          // by tensor
  std::vector<LanePath> lanes_;           // tensor by tensor
  std::vector<std::size_t> group_of_;     // by lane
  std::vector<Commodity> groups_;         // lanes of a tensor between the same two cells
  std::vector<std::size_t> first_of_group_;
  FlowResult flow_;  // by group
  double target_ps_ = 1;
  RouteResult result_;
};

}  // namespace

const char* route_end_name(RouteEnd end) {
  switch (end) {
    case RouteEnd::not_binding:
      return "not_binding";
    case RouteEnd::at_bound:
      return "at_bound";
    case RouteEnd::effort:
      return "effort";
    case RouteEnd::stopped:
      return "stopped";
  }
  return "";
}

RouteResult route(const Traffic& traffic, const Hardware& hardware, const RouteOptions& options) {
  check(traffic, hardware);
  return RouteRun(traffic, hardware, options).run();
}

}  // namespace waferloom::router
