#include "sim/collective.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/int128.h"
#include "sim/mesh/add_up.h"
#include "sim/mesh/route_planner.h"

namespace waferloom::sim {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Adds up what passes in a step, in shares of the largest flow: every link, every tile's ways into
/// and out of the mesh, every DRAM port's ways in and out. Few loads are listed and added up by
/// place at the end, many go into an array of all places; both add in the order in which they came.
class Loads {
 public:
  Loads(const Mesh& mesh, const Hardware& hardware)
      : mesh_(mesh),
        hardware_(hardware),
        ways_in_(mesh.link_count()),
        places_(mesh.link_count() + 2 * mesh.node_count()) {}

  void add(const Flow& flow, const Route& route, double weight) {
    carry(ways_in_ + mesh_.node(flow.from), weight);
    carry(ways_in_ + mesh_.node_count() + mesh_.node(flow.to), weight);
    if (flow.port != Flow::kNoPort) ports_.emplace_back(2 * flow.port + (flow.out ? 1 : 0), weight);
    for_each_link(mesh_, route, [&](LinkIndex link) { carry(link, weight); });
  }

  /// The rates that the busiest of them leave to the largest flow.
  double link_rate() {
    double least = kNoLimit;
    const auto look_at = [&](std::size_t place, double weight) {
      const double rate = place < ways_in_ ? mesh_.bytes_per_ps(static_cast<LinkIndex>(place))
                                           : mesh_.tile_bytes_per_ps();
      least = std::min(least, rate / weight);
    };
    add_up(few_);
    for (const auto& [place, weight] : few_) look_at(place, weight);
    for (std::size_t place = 0; place < many_.size(); ++place) {
      if (many_[place] > 0) look_at(place, many_[place]);
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

  void carry(std::size_t place, double weight) {
    if (!many_.empty()) {
      many_[place] += weight;
      return;
    }
    few_.emplace_back(place, weight);
    if (few_.size() < std::max(kFew, places_ / 8)) return;
    many_.assign(places_, 0);
    for (const auto& [at, waiting] : few_) many_[at] += waiting;
    few_.clear();
  }

  static constexpr std::size_t kFew = 1'024;
  const Mesh& mesh_;
  const Hardware& hardware_;
  std::size_t ways_in_;
  std::size_t places_;
  std::vector<Load> few_;
  std::vector<double> many_;  // by place; empty as long as there are few
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
    Loads loads(mesh, hardware);
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
      if (meeting == Meeting::shares) loads.add(flow, *route, weight * static_cast<double>(count));
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
