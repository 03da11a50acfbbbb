#include "sim/collective.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/int128.h"
#include "sim/mesh/add_up.h"
#include "sim/mesh/route_planner.h"

namespace waferloom::sim {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Counts flows on the links and tiles of a mesh without defects. Of a leg it is noted where its
/// links begin and end along row or column; the rest is adding up: O(legs + tiles) in place of
/// O(hops). Counts are exact in any order.
class FlowCounts {
 public:
  explicit FlowCounts(const Mesh& mesh) : mesh_(mesh), tiles_(2 * mesh.node_count(), 0) {
    for (auto& ends : links_) ends.assign(mesh.node_count() + mesh.columns(), 0);
  }

  void add_leg(const Leg& leg) {
    const std::size_t apart = stride(leg.direction);
    const std::size_t length = leg.hops * apart;
    const bool up = leg.direction == Direction::east || leg.direction == Direction::north;
    const std::size_t lowest = up ? leg.from : leg.from + apart - length;
    auto& ends = links_[static_cast<std::size_t>(leg.direction)];
    ++ends[lowest];
    --ends[lowest + length];
  }
  /// A way into the mesh by its tile's index, or behind all those a way out of it.
  void add_tile_way(std::size_t way) { ++tiles_[way]; }

  /// Calls visit_link(link, flows) and visit_tile(flows) for all that some pass, once.
  template <typename VisitLink, typename VisitTile>
  void add_up(const VisitLink& visit_link, const VisitTile& visit_tile) {
    for (const Direction direction : kDirections) {
      const std::size_t apart = stride(direction);
      auto& flows = links_[static_cast<std::size_t>(direction)];
      for (std::size_t node = 0; node < mesh_.node_count(); ++node) {
        if (node >= apart) flows[node] += flows[node - apart];
        if (flows[node] == 0) continue;
        visit_link(Mesh::link(static_cast<NodeIndex>(node), direction), flows[node]);
      }
    }
    for (const std::int32_t flows : tiles_) {
      if (flows > 0) visit_tile(flows);
    }
  }

 private:
  std::size_t stride(Direction direction) const {
    return is_along_x(direction) ? 1 : mesh_.columns();
  }

  const Mesh& mesh_;
  std::vector<std::int32_t> tiles_;  // ways into the mesh, then ways out
  std::array<std::vector<std::int32_t>, kDirections.size()> links_;  // by direction and tile
};

/// Adds up what passes in a step, in shares of the largest flow: every link, every tile's ways into
/// and out of the mesh, every DRAM port's ways in and out. Few loads are listed and added up by
/// place at the end. Many are counted, if all flows weigh the same and nothing is in their way, or
/// go into an array of all places; what is not whole is added in the order in which it came.
class Loads {
 public:
  /// `weight` is that of all flows, a whole number, if they are alike.
  Loads(const Mesh& mesh, const Hardware& hardware, std::optional<double> weight)
      : mesh_(mesh),
        hardware_(hardware),
        weight_(mesh.has_dead() || mesh.is_switched() ? std::nullopt : weight),
        ways_in_(mesh.link_count()),
        places_(mesh.link_count() + 2 * mesh.node_count()) {}

  void add(const Flow& flow, const Route& route, double weight) {
    if (flow.port != Flow::kNoPort) ports_.emplace_back(2 * flow.port + (flow.out ? 1 : 0), weight);
    if (few_.size() >= most_listed()) count_listed();
    const std::size_t from = mesh_.node(flow.from);
    const std::size_t to = mesh_.node_count() + mesh_.node(flow.to);
    if (counts_) {
      counts_->add_tile_way(from);
      counts_->add_tile_way(to);
      for (const Leg& leg : route.legs) counts_->add_leg(leg);
      return;
    }
    carry(ways_in_ + from, weight);
    carry(ways_in_ + to, weight);
    for_each_link(mesh_, route, [&](LinkIndex link) { carry(link, weight); });
  }

  /// The rates that the busiest of them leave to the largest flow. Once.
  double link_rate() {
    double least = kNoLimit;
    const auto look_at = [&](double rate, double weight) {
      least = std::min(least, rate / weight);
    };
    const auto look_at_place = [&](std::size_t place, double weight) {
      const bool is_link = place < ways_in_;
      look_at(
          is_link ? mesh_.bytes_per_ps(static_cast<LinkIndex>(place)) : mesh_.tile_bytes_per_ps(),
          weight);
    };
    add_up(few_);
    for (const auto& [place, weight] : few_) look_at_place(place, weight);
    for (std::size_t place = 0; place < many_.size(); ++place) {
      if (many_[place] > 0) look_at_place(place, many_[place]);
    }
    if (counts_) {
      counts_->add_up(
          [&](LinkIndex link, std::int32_t flows) {
            look_at(mesh_.bytes_per_ps(link), flows * *weight_);
          },
          [&](std::int32_t flows) { look_at(mesh_.tile_bytes_per_ps(), flows * *weight_); });
    }
    return least;
  }
  double port_rate() {
    double least = kNoLimit;
    add_up(ports_);
    for (const auto& [place, weight] : ports_) {
      least = std::min(least, bytes_per_ps(hardware_.dram_ports[place / 2].bytes_per_s) / weight);
    }
    return least;
  }

 private:
  using Load = std::pair<std::size_t, double>;  // place, weight

  std::size_t most_listed() const { return std::max(kFew, places_ / 8); }

  /// From here on loads are counted, if that can be.
  void count_listed() {
    if (!weight_) return;
    counts_.emplace(mesh_);
    for (const auto& [place, weight] : few_) {
      if (place >= ways_in_) {
        counts_->add_tile_way(place - ways_in_);
      } else {
        const auto link = static_cast<LinkIndex>(place);
        counts_->add_leg({Mesh::source(link), Mesh::direction(link), 1});
      }
    }
    few_.clear();
  }

  void carry(std::size_t place, double weight) {
    if (!many_.empty()) {
      many_[place] += weight;
      return;
    }
    few_.emplace_back(place, weight);
    if (weight_ || few_.size() < most_listed()) return;
    many_.assign(places_, 0);
    for (const auto& [at, waiting] : few_) many_[at] += waiting;
    few_.clear();
  }

  static constexpr std::size_t kFew = 1'024;
  const Mesh& mesh_;
  const Hardware& hardware_;
  std::optional<double> weight_;
  std::size_t ways_in_;
  std::size_t places_;
  std::vector<Load> few_;
  std::vector<double> many_;  // by place; empty as long as there are few
  std::optional<FlowCounts> counts_;
  std::vector<Load> ports_;
};

bool is_larger(const Share& a, const Share& b) {
  return Int128(a.parts) * b.of > Int128(b.parts) * a.of;
}

/// What flows of a phase take on average, and for how many of its steps.
struct Average {
  double ps_per_byte = 0;  // sums so far
  double latency = 0;
  std::int64_t longest = 0;  // steps of a flow

  void add(const Flow& flow, double rate, Picoseconds flow_latency) {
    ps_per_byte += 1 / rate;
    latency += static_cast<double>(flow_latency);
    longest = std::max(longest, flow.count);
  }
};

bool is_of_one_share(const Phase& phase) {
  const Share& first = phase.flows.front().share;
  return std::all_of(phase.flows.begin(), phase.flows.end(), [&](const Flow& flow) {
    return flow.share.parts == first.parts && flow.share.of == first.of;
  });
}

Share largest_share(const Phase& phase) {
  Share largest = phase.flows.front().share;
  for (const Flow& flow : phase.flows) {
    if (is_larger(flow.share, largest)) largest = flow.share;
  }
  return largest;
}

}  // namespace

Collective::Collective(const Mesh& mesh, const Hardware& hardware, const Phases& phases,
                       Meeting meeting, std::int64_t count) {
  RoutePlanner planner(mesh, Routing::xy);
  for (const Phase& phase : phases) {
    if (phase.flows.empty()) continue;
    Step step{phase.steps, largest_share(phase), {kNoLimit, kNoLimit}, {kNoLimit, kNoLimit}, 0};
    Average average;
    const auto alike = static_cast<double>(count);
    Loads loads(mesh, hardware, is_of_one_share(phase) ? std::optional(alike) : std::nullopt);
    for (const Flow& flow : phase.flows) {
      const auto route = planner.plan(mesh.node(flow.from), mesh.node(flow.to), 0, 0);
      if (!route) throw std::invalid_argument("a group of tiles is cut by what is dead");
      const double weight = flow.share.value() / step.share.value();
      Picoseconds latency = route_latency(mesh, *route) + hardware.endpoint_latency_ps;
      if (flow.port != Flow::kNoPort) {
        const EdgePort& port = hardware.dram_ports[flow.port];
        latency = later(latency, port.response_ps);
        step.alone.port = std::min(step.alone.port, bytes_per_ps(port.bytes_per_s) / weight);
      }
      step.latency = std::max(step.latency, latency);
      const double rate = slowest_rate(mesh, *route) / weight;
      step.alone.mesh = std::min(step.alone.mesh, rate);
      average.add(flow, rate, latency);
      if (meeting == Meeting::shares) loads.add(flow, *route, weight * alike);
    }
    step.met = {std::min(step.alone.mesh, loads.link_rate()),
                std::min(step.alone.port, loads.port_rate())};
    const auto flows = static_cast<double>(phase.flows.size());
    step.filling = phase.steps - std::min(phase.steps, average.longest);
    step.filling_rate = flows / average.ps_per_byte;
    step.filling_latency = static_cast<Picoseconds>(average.latency / flows);
    steps_.push_back(step);
  }
}

Picoseconds Collective::time(std::int64_t bytes) const {
  if (bytes == 0) return 0;
  Picoseconds whole = 0;
  for (const Step& step : steps_) {
    const std::int64_t largest = step.share.bytes_of(bytes);
    const auto behind = [&](double first, double second) {
      return later(transmission_time(largest, first), transmission_time(largest, second));
    };
    const Picoseconds moving =
        std::max(behind(step.met.mesh, step.alone.port), behind(step.alone.mesh, step.met.port));
    const Picoseconds one = later(moving, step.latency);
    if (one > kHorizon / step.count) fail_beyond_horizon();
    const Picoseconds filling =
        later(transmission_time(largest, step.filling_rate), step.filling_latency);
    whole = later(whole, one * (step.count - step.filling) + filling * step.filling);
  }
  return whole;
}

}  // namespace waferloom::sim
