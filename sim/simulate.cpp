#include "sim/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

#include "kernels/int128.h"
#include "sim/steady_state.h"

namespace waferloom {
namespace {

constexpr std::uint64_t kStepsBetweenQuestions = 64;

/// A resource that is busy for less of the time does not bound a pipeline.
constexpr double kBusy = 0.98;

std::string tile_text(const TilePlace& tile) {
  return "(" + std::to_string(tile.x) + ", " + std::to_string(tile.y) + ")";
}

/// Every lane has a route, so that a run does not end halfway.
void check_routes(const PipelineSpec& spec, const Mesh& mesh, const SimulateOptions& options) {
  RoutePlanner planner(mesh, options.routing);
  for (const ChannelSpec& channel : spec.channels) {
    for (const Lane& lane : channel.lanes) {
      if (planner.plan(mesh.node(lane.from), mesh.node(lane.to), 0, 0)) continue;
      throw std::invalid_argument("no way from tile " + tile_text(lane.from) + " to tile " +
                                  tile_text(lane.to) + " around what is dead");
    }
  }
}

class Run {
 public:
  Run(const PipelineSpec& spec, const Hardware& hardware, const SimulateOptions& options)
      : spec_(spec),
        hardware_(hardware),
        options_(options),
        mesh_(hardware),
        planner_(mesh_, options.routing),
        network_(make_network(options.network, mesh_, hardware, {options.sharing})),
        pipeline_(spec, mesh_, *network_, planner_, options.samples, options.observer) {
    check_routes(spec, mesh_, options);
    find_resources();
  }

  ThroughputReport run() {
    work();
    tell_times();
    tell_links();
    tell_flows();
    name_bound();
    report_.stages = pipeline_.stage_times();
    report_.ports = pipeline_.port_uses();
    report_.events = pipeline_.events() + network_->event_count();
    for (const ChannelSpec& channel : spec_.channels) {
      const Int128 bytes = Int128(channel.bytes) * channel.buffer_samples + report_.buffer_bytes;
      report_.buffer_bytes = static_cast<std::int64_t>(
          std::min<Int128>(bytes, std::numeric_limits<std::int64_t>::max()));
    }
    return std::move(report_);
  }

 private:
  void work() {
    std::uint64_t steps = 0;
    std::size_t done = 0;
    while (pipeline_.step()) {
      if (++steps % kStepsBetweenQuestions == 0 && options_.stopped && options_.stopped()) {
        report_.stopped = true;
        break;
      }
      if (pipeline_.done().size() == done) continue;
      done = pipeline_.done().size();
      if (options_.on_progress) options_.on_progress(static_cast<std::int64_t>(done));
      // What feeds the pipeline's end is not steady any more.
      if (static_cast<std::int64_t>(done) == options_.samples) break;
      // At the end of a run, when nothing more comes in, the last period found still holds.
      const auto found = steady_period(pipeline_, spec_, least_per_sample());
      if (found) steady_ = found;
      if (steady_ && options_.extrapolate) break;
    }
  }

  void tell_times() {
    const std::vector<Picoseconds>& done = pipeline_.done();
    report_.samples = options_.samples;
    report_.simulated = static_cast<std::int64_t>(done.size());
    report_.simulated_time = pipeline_.now();
    report_.steady = steady_.has_value();
    if (done.empty()) return;
    report_.first_sample = done.front();
    report_.makespan = done.back();
    if (steady_) {
      report_.period_samples = steady_->samples;
      report_.period = steady_->time;
    } else if (done.size() > 1) {
      const std::size_t middle = (done.size() - 1) / 2;
      report_.period_samples = static_cast<std::int64_t>(done.size() - 1 - middle);
      report_.period = done.back() - done[middle];
    } else {
      report_.period_samples = 1;
      report_.period = done.back();
    }
    report_.period = std::max<Picoseconds>(1, report_.period);
    per_sample_ = static_cast<double>(report_.period) / static_cast<double>(report_.period_samples);
    report_.samples_per_s = static_cast<double>(kPicosecondsPerSecond) / per_sample_;
    const auto left = static_cast<double>(report_.samples - report_.simulated);
    if (left * per_sample_ > kLongestWait) fail_beyond_horizon();
    report_.makespan =
        later(report_.makespan, static_cast<Picoseconds>(std::llround(left * per_sample_)));
  }

  void tell_links() {
    report_.link_bytes = network_->link_bytes();
    const double time = static_cast<double>(std::max<Picoseconds>(1, pipeline_.now()));
    std::vector<LinkIndex> links;
    for (LinkIndex link = 0; link < report_.link_bytes.size(); ++link) {
      if (report_.link_bytes[link] > 0) links.push_back(link);
    }
    const std::size_t count = std::min(options_.top, links.size());
    std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count),
                      links.end(), [&](LinkIndex a, LinkIndex b) {
                        const double busy_a = link_time(a, report_.link_bytes[a]);
                        const double busy_b = link_time(b, report_.link_bytes[b]);
                        return busy_a != busy_b ? busy_a > busy_b : a < b;
                      });
    for (std::size_t i = 0; i < count; ++i) {
      const LinkIndex link = links[i];
      report_.links.push_back({mesh_.x(Mesh::source(link)), mesh_.y(Mesh::source(link)),
                               direction_name(Mesh::direction(link)), report_.link_bytes[link],
                               link_time(link, report_.link_bytes[link]) / time});
    }
  }

  double link_time(LinkIndex link, std::int64_t bytes) const {
    return static_cast<double>(bytes) / mesh_.bytes_per_ps(link);
  }

  void tell_flows() {
    for (std::size_t i = 0; i < spec_.channels.size(); ++i) {
      report_.flows.push_back(
          {spec_.channels[i].name, spec_.channels[i].bytes, pipeline_.mean_shipment(i)});
    }
    std::stable_sort(report_.flows.begin(), report_.flows.end(),
                     [](const FlowUse& a, const FlowUse& b) { return a.mean > b.mean; });
    if (report_.flows.size() > options_.top) report_.flows.resize(options_.top);
  }

  /// Notes what a kind of resource needs for a sample if it is the most of its kind.
  void add_resource(Bound bound, const std::string& name, double busy) {
    const auto kind = static_cast<std::size_t>(bound);
    if (busy <= most_[kind].busy) return;
    most_[kind] = {name, static_cast<Picoseconds>(std::llround(busy)), busy};
  }

  /// Bytes of one sample on every link, by the usual routes.
  std::vector<std::int64_t> bytes_of_a_sample() {
    RoutePlanner planner(mesh_, options_.routing);
    LinkBytes bytes(mesh_);
    std::uint64_t id = 0;
    for (const ChannelSpec& channel : spec_.channels) {
      for (std::size_t lane = 0; lane < channel.lanes.size(); ++lane) {
        const std::int64_t part = lane_bytes(channel.bytes, channel.lanes.size(), lane);
        const NodeIndex from = mesh_.node(channel.lanes[lane].from);
        const NodeIndex to = mesh_.node(channel.lanes[lane].to);
        bytes.count(*planner.plan(from, to, id++, part), part);
        const bool inside =
            channel.producer != ChannelSpec::kOutside && channel.consumer != ChannelSpec::kOutside;
        if (spec_.training && inside) bytes.count(*planner.plan(to, from, id++, part), part);
        ways_in_[from] += part;
        ways_out_[to] += part;
        if (spec_.training && inside) {
          ways_in_[to] += part;
          ways_out_[from] += part;
        }
      }
    }
    return bytes.totals();
  }

  void find_resources() {
    for (const StageSpec& stage : spec_.stages) {
      add_resource(Bound::compute, "stage " + stage.name,
                   static_cast<double>(stage.forward + (spec_.training ? stage.backward : 0)));
    }
    // Without contention a link is never short.
    // Under other rules routes change from sample to sample.
    const bool fixed = options_.routing == Routing::xy || options_.routing == Routing::yx;
    if (options_.network != NetworkKind::analytic && fixed) add_links(bytes_of_a_sample(), 1);
    add_ports();
    for (const ChannelSpec& channel : spec_.channels) {
      if (channel.adapters == 0) continue;
      add_resource(Bound::adapter, "adapter of " + channel.name,
                   static_cast<double>(channel.adapter_pass));
    }
  }

  /// No pipeline is faster than its busiest resource.
  Picoseconds least_per_sample() const {
    Picoseconds least = 0;
    for (const Utilisation& resource : most_) least = std::max(least, resource.busy_per_sample);
    return least;
  }

  /// Of bytes by link that so many samples put there.
  void add_links(const std::vector<std::int64_t>& bytes, double samples) {
    LinkIndex busiest = 0;
    for (LinkIndex link = 1; link < bytes.size(); ++link) {
      if (link_time(link, bytes[link]) > link_time(busiest, bytes[busiest])) busiest = link;
    }
    const NodeIndex from = Mesh::source(busiest);
    add_resource(Bound::link,
                 "link " + std::string(direction_name(Mesh::direction(busiest))) + " of tile " +
                     tile_text({mesh_.x(from), mesh_.y(from)}),
                 link_time(busiest, bytes[busiest]) / samples);
    for (const auto* ways : {&ways_in_, &ways_out_}) {
      for (const auto& [tile, carried] : *ways) {
        add_resource(Bound::link, "tile " + tile_text({mesh_.x(tile), mesh_.y(tile)}),
                     static_cast<double>(carried) / mesh_.tile_bytes_per_ps());
      }
    }
  }

  void add_ports() {
    for (const bool out : {false, true}) {
      std::vector<std::int64_t> bytes(spec_.ports.size(), 0);
      for (const ChannelSpec& channel : spec_.channels) {
        if ((channel.consumer == ChannelSpec::kOutside) != out) continue;
        for (std::size_t lane = 0; lane < channel.ports.size(); ++lane) {
          bytes[channel.ports[lane]] += lane_bytes(channel.bytes, channel.ports.size(), lane);
        }
      }
      std::int64_t host = 0;
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        const PortSpec& port = spec_.ports[i];
        if (bytes[i] == 0) continue;
        if (!port.is_memory) host += bytes[i];
        add_resource(port.is_memory ? Bound::dram : Bound::io, "port " + port.name,
                     static_cast<double>(bytes[i]) / port.bytes_per_ps);
      }
      add_resource(Bound::io, out ? "all host ports, out" : "all host ports, in",
                   static_cast<double>(host) / spec_.host_bytes_per_ps);
    }
  }

  void name_bound() {
    if (options_.network != NetworkKind::analytic && ways_in_.empty()) {
      // As measured; what is under way is counted whole.
      add_links(report_.link_bytes,
                static_cast<double>(std::max<std::int64_t>(1, report_.simulated)));
    }
    report_.bound = Bound::schedule;
    report_.bound_by = "how stages and buffers wait for one another";
    double most = kBusy;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      Utilisation& resource = most_[kind];
      if (resource.name.empty()) continue;
      resource.busy = per_sample_ > 0 ? resource.busy / per_sample_ : 0;
      if (resource.busy > most) {
        most = resource.busy;
        report_.bound = static_cast<Bound>(kind);
        report_.bound_by = resource.name;
      }
      report_.resources.push_back(resource);
    }
    if (report_.bound == Bound::schedule && is_contended()) {
      report_.bound = Bound::link;
      report_.bound_by = most_[static_cast<std::size_t>(Bound::link)].name + " and others";
    }
  }

  /// Whether samples would follow one another faster by a tenth if transfers did not meet.
  bool is_contended() const {
    constexpr double kFaster = 1.1;
    constexpr std::int64_t kEnough = 100;
    if (options_.network == NetworkKind::analytic || report_.stopped) return false;
    SimulateOptions alone = options_;
    alone.network = NetworkKind::analytic;
    alone.observer = nullptr;
    alone.on_progress = nullptr;
    alone.extrapolate = true;
    alone.samples = std::min(options_.samples, kEnough);
    return simulate(spec_, hardware_, alone).samples_per_s > kFaster * report_.samples_per_s;
  }

  static constexpr std::size_t kKinds = 5;  // those of Bound besides the schedule

  const PipelineSpec& spec_;
  const Hardware& hardware_;
  const SimulateOptions& options_;
  Mesh mesh_;
  RoutePlanner planner_;
  std::unique_ptr<Network> network_;
  Pipeline pipeline_;
  std::optional<SteadyPeriod> steady_;
  double per_sample_ = 0;
  std::map<NodeIndex, std::int64_t> ways_in_;
  std::map<NodeIndex, std::int64_t> ways_out_;
  Utilisation most_[kKinds];
  ThroughputReport report_;
};

}  // namespace

const char* bound_name(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute";
    case Bound::link:
      return "link";
    case Bound::dram:
      return "dram";
    case Bound::io:
      return "io";
    case Bound::adapter:
      return "adapter";
    case Bound::schedule:
      return "schedule";
  }
  return "";
}

ThroughputReport simulate(const PipelineSpec& spec, const Hardware& hardware,
                          const SimulateOptions& options) {
  return Run(spec, hardware, options).run();
}

}  // namespace waferloom
