#include "sim/simulate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/report.h"
#include "sim/mesh/run_check.h"
#include "sim/pipeline/demands.h"
#include "sim/pipeline/full_rate.h"
#include "sim/pipeline/lanes.h"
#include "sim/pipeline/steady_state.h"

// Problem: find the throughput of a pipeline on a wafer, and the resource that bounds it.
// Idea: run the pipeline event by event. When samples come out in a repeated pattern, the run ends
// and the rest is extrapolated; a plan's inference also ends once the rate of its full pipeline is
// known. A resource that is busy almost all of the time is the bound.
// Otherwise a second, short run without contention says whether links are the bound.
// Source: ours (docs/simulator.md).
// Cost: that of the events until the pattern repeats, or of all samples; a search for the pattern
// after each sample takes O(stages + channels).
namespace waferloom::sim {
namespace {

constexpr std::uint64_t kStepsBetweenQuestions = 64;

/// Throws unless every lane has a route. So a run cannot fail halfway.
void check_routes(const PipelineSpec& spec, const Mesh& mesh, RoutePlanner& planner) {
  for (const ChannelSpec& channel : spec.channels) {
    for (const Lane& lane : channel.lanes) {
      if (lane_route(mesh, planner, lane, false, 0, 0)) continue;
      throw InfeasibleError("no way from tile " + tile_text(lane.from) + " to tile " +
                            tile_text(lane.to) + " around what is dead");
    }
  }
}

/// The number of colours that planned lanes need: the highest plus 1; 0 if lanes have no colours.
std::int64_t colours_of(const PipelineSpec& spec) {
  std::int64_t colours = 0;
  for (const ChannelSpec& channel : spec.channels) {
    for (const std::vector<Lane>* lanes : {&channel.lanes, &channel.gradient_lanes}) {
      for (const Lane& lane : *lanes) {
        if (lane.colour) colours = std::max<std::int64_t>(colours, *lane.colour + 1);
      }
    }
  }
  return colours;
}

/// Uses the planner of the run, so that paths around dead tiles are searched only once.
Demands demands_of_routed(const PipelineSpec& spec, const Mesh& mesh,
                          const SimulateOptions& options, RoutePlanner& planner) {
  check_routes(spec, mesh, planner);
  return {spec, mesh, options.network, planner};
}

}  // namespace

/// One run of a pipeline. A ResumableRun keeps one, so it is in no unnamed namespace.
class PipelineSimulation {
 public:
  /// The pipeline and the hardware have to live longer.
  PipelineSimulation(const PipelineSpec& spec, const Hardware& hardware, SimulateOptions options)
      : spec_(spec),
        hardware_(hardware),
        options_(std::move(options)),
        mesh_(hardware, spec.reserve),
        planner_(mesh_, options_.routing),
        network_(make_network(options_.network, mesh_, hardware,
                              {{.sharing = options_.sharing, .patience = options_.patience},
                               options_.routing,
                               colours_of(spec)})),
        pipeline_(spec, mesh_, *network_, planner_, options_.samples, options_.observers,
                  options_.routing != Routing::planned || options_.network == NetworkKind::packet),
        demands_(demands_of_routed(spec, mesh_, options_, planner_)),
        full_rate_({samples_until_full(stages()), samples_until_rate(stages()), options_.samples,
                    !options_.extrapolate}) {}

  ThroughputReport go_on(std::optional<std::uint64_t> most_work, const RunControl& control) {
    most_work_ = most_work;
    options_.control = control;
    report_ = {};
    work();
    ThroughputReport report = report_.stopped_by_work ? so_far() : whole();
    options_.control = {};  // it may not live as long
    return report;
  }

 private:
  /// Of a run that is to go on.
  ThroughputReport so_far() {
    report_.samples = options_.samples;
    report_.simulated = static_cast<std::int64_t>(pipeline_.done().size());
    report_.simulated_time = report_.whole_time = pipeline_.now();
    report_.events = pipeline_.events() + network_->event_count();
    report_.work = network_->work();
    return std::move(report_);
  }

  /// Of a run that is over, or was cut.
  ThroughputReport whole() {
    tell_times();
    tell_flows();
    name_bound();
    report_.stages = pipeline_.stage_times();
    if (!report_.stopped) end_updates();
    report_.whole_time = pipeline_.now();
    const Pipeline::Carried carried = pipeline_.carried();
    tell_links(carried);
    report_.ports = pipeline_.port_uses();
    report_.events = pipeline_.events() + network_->event_count();
    report_.work = network_->work();
    report_.rate_error = network_->rate_error();
    for (const ChannelSpec& channel : spec_.channels) {
      const Int128 bytes = Int128(channel.bytes) * channel.buffer_samples + report_.buffer_bytes;
      report_.buffer_bytes = static_cast<std::int64_t>(
          std::min<Int128>(bytes, std::numeric_limits<std::int64_t>::max()));
    }
    if (!report_.stopped) check(carried);
    return std::move(report_);
  }

  /// Runs the updates of a batch, after its samples.
  void end_updates() {
    std::uint64_t steps = 0;
    while (pipeline_.is_through() && pipeline_.step()) {
      if (++steps % kStepsBetweenQuestions != 0) continue;
      report_.stopped = options_.control.is_cut();
      if (report_.stopped) return;
    }
    report_.updated = pipeline_.updated();
  }

  /// Whether its work or what controls it ends the run. The work comes first: it alone is the same
  /// in every run.
  bool has_to_stop() {
    report_.stopped_by_work = most_work_ && network_->work() > *most_work_;
    report_.stopped = report_.stopped_by_work || options_.control.is_cut();
    return report_.stopped;
  }

  /// Reports progress. Answers whether the rest of the run is known.
  bool has_seen_enough(std::size_t done) {
    if (options_.on_progress) {
      options_.on_progress({static_cast<std::int64_t>(done), options_.samples, options_.network});
    }
    // After the last sample of inference nothing is steady any more.
    if (static_cast<std::int64_t>(done) == options_.samples && !spec_.training) return true;
    if (options_.rate_when_full && !full_) full_ = full_rate_.look(pipeline_);
    // Near the end no more samples come in. Then the last period that was found still holds.
    if (!options_.rate_when_full || !is_emptying()) {
      const auto found = steady_period(pipeline_, spec_, demands_.least_per_sample());
      if (found) steady_ = found;
    }
    return (steady_ || full_) && options_.extrapolate;
  }

  std::int64_t stages() const { return static_cast<std::int64_t>(spec_.stages.size()); }

  bool is_emptying() const {
    return static_cast<std::int64_t>(pipeline_.begun(0).count()) >= options_.samples;
  }

  void work() {
    while (pipeline_.step()) {
      if (pipeline_.done().size() > done_) {
        done_ = pipeline_.done().size();
        if (has_seen_enough(done_)) break;
      }
      if (++steps_ % kStepsBetweenQuestions == 0 && !pipeline_.is_through() && has_to_stop()) break;
      if (pipeline_.is_through()) break;
    }
  }

  /// When a run is over whose last sample was done at a time: in training memories may still be
  /// written.
  Picoseconds through(Picoseconds done) const {
    return spec_.training && pipeline_.is_through() ? pipeline_.now() : done;
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
    // The end of a run alone tells no rate: what waits in buffers may come out faster than it can
    // go in. Else the whole run counts.
    const std::optional<SteadyPeriod>& seen = steady_ ? steady_ : full_;
    report_.rate_of =
        steady_ ? RateOf::steady_state : (full_ ? RateOf::full_pipeline : RateOf::whole_run);
    report_.period_samples = seen ? seen->samples : report_.simulated;
    report_.period = seen ? seen->time : through(done.back());
    if (full_ && !steady_) {
      // Buffers behind the busiest resource may empty meanwhile.
      report_.period =
          std::max(report_.period, demands_.least_per_sample() * report_.period_samples);
    }
    report_.period = std::max<Picoseconds>(1, report_.period);
    per_sample_ = static_cast<double>(report_.period) / static_cast<double>(report_.period_samples);
    report_.samples_per_s = static_cast<double>(kPicosecondsPerSecond) / per_sample_;
    pace_ = pace_of_full_pipeline(done);
    if (report_.stopped) return;  // the end of the last sample is unknown
    const auto left = static_cast<double>(report_.samples - report_.simulated);
    if (left * per_sample_ > kLongestWait) fail_beyond_horizon();
    report_.makespan =
        later(report_.makespan, static_cast<Picoseconds>(std::llround(left * per_sample_)));
  }

  /// Time from sample to sample while the pipeline is full, to name what binds it: in the last half
  /// of a run whose rate counts filling. As a rate it would promise too much (tell_times).
  double pace_of_full_pipeline(const std::vector<Picoseconds>& done) const {
    if (report_.rate_of != RateOf::whole_run || done.size() < 2) return per_sample_;
    const std::size_t middle = (done.size() - 1) / 2;
    const auto samples = static_cast<double>(done.size() - 1 - middle);
    return std::max(1.0, static_cast<double>(done.back() - done[middle]) / samples);
  }

  void tell_links(const Pipeline::Carried& carried) {
    report_.link_bytes = carried.link_bytes;
    report_.exchange_bytes = carried.exchanged;
    report_.exchange_bytes_apart = carried.exchanged_apart;
    report_.links_shared = options_.network != NetworkKind::analytic;
    report_.reserve = spec_.reserve;
    const double time = static_cast<double>(std::max<Picoseconds>(1, report_.whole_time));
    std::vector<LinkIndex> links;
    for (LinkIndex link = 0; link < report_.link_bytes.size(); ++link) {
      if (report_.link_bytes[link] > 0) links.push_back(link);
    }
    const std::size_t count = std::min(options_.top, links.size());
    std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(count),
                      links.end(), [&](LinkIndex a, LinkIndex b) {
                        const double busy_a = link_time(mesh_, a, report_.link_bytes[a]);
                        const double busy_b = link_time(mesh_, b, report_.link_bytes[b]);
                        return busy_a != busy_b ? busy_a > busy_b : a < b;
                      });
    for (std::size_t i = 0; i < count; ++i) {
      const LinkIndex link = links[i];
      report_.links.push_back({mesh_.x(Mesh::source(link)), mesh_.y(Mesh::source(link)),
                               mesh_.link_name(link), report_.link_bytes[link],
                               link_time(mesh_, link, report_.link_bytes[link]) / time});
    }
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

  void name_bound() {
    if (demands_.lacks_links()) {
      // In so much time as many samples come out, filled and emptied parts taken for full ones.
      const double samples = static_cast<double>(pipeline_.now()) / std::max(1.0, per_sample_);
      demands_.add_links(pipeline_.carried().link_bytes, std::max(1.0, samples));
    }
    report_.bound = Bound::schedule;
    report_.bound_by = "how stages and buffers wait for one another";
    double most = kAlmostAll;
    for (std::size_t kind = 0; kind < Demands::kKinds; ++kind) {
      Utilisation resource = demands_.busiest(static_cast<Bound>(kind));
      if (resource.name.empty()) continue;
      const double when_full = pace_ > 0 ? resource.busy / pace_ : 0;
      resource.busy = per_sample_ > 0 ? resource.busy / per_sample_ : 0;
      if (when_full > most) {
        most = when_full;
        report_.bound = static_cast<Bound>(kind);
        report_.bound_by = resource.name;
      }
      report_.resources.push_back(resource);
    }
    if (report_.bound == Bound::schedule && is_contended()) {
      report_.bound = Bound::link;
      report_.bound_by = demands_.busiest(Bound::link).name + " and others";
    }
    name_next_bound(most > kAlmostAll);
  }

  /// What binds is a resource, or else takes all the time from sample to sample.
  void name_next_bound(bool is_resource) {
    std::vector<NamedBound> all = demands_.bounds();
    if (!is_resource) {
      all.insert(all.begin(), {bound_name(report_.bound), report_.bound_by,
                               per_sample_ / static_cast<double>(kPicosecondsPerSecond)});
    }
    report_.bottleneck = bottleneck_of(all, "a sample");
  }

  /// Whether throughput would be more than a tenth higher without contention.
  bool is_contended() const {
    constexpr double kFaster = 1.1;
    constexpr std::int64_t kEnough = 100;  // of a steady run; of others filling counts alike
    if (options_.network == NetworkKind::analytic || report_.stopped) return false;
    SimulateOptions alone = options_;
    alone.network = NetworkKind::analytic;
    alone.observers.clear();
    alone.on_progress = nullptr;
    alone.extrapolate = true;
    const std::int64_t enough = std::max(kEnough, samples_of_stream(stages()));
    if (steady_) alone.samples = std::min(options_.samples, enough);
    const ThroughputReport found = simulate(spec_, hardware_, alone);
    const bool is_whole = report_.rate_of == RateOf::whole_run;
    const double rate = is_whole ? found.whole_run_per_s() : found.samples_per_s;
    return rate > kFaster * report_.samples_per_s;
  }

  /// Nothing was used for more than all the time there is (run_check.h).
  void check(const Pipeline::Carried& carried) const {
    RunFigures figures{"pipeline"};
    const auto samples = static_cast<double>(report_.period_samples);
    for (const Utilisation& resource : report_.resources) {
      figures.parts.push_back({resource.name,
                               static_cast<double>(resource.busy_per_sample) * samples,
                               static_cast<double>(report_.period), 2 + samples});
    }
    const auto time = static_cast<double>(report_.whole_time);
    for (const PortUse& port : report_.ports) {
      figures.parts.push_back({"port " + port.name, port.busy * time, time, 0});
    }
    figures.mesh = &mesh_;
    figures.link_bytes = carried.link_bytes;
    figures.moved = carried.moved;
    figures.links_ps = time;
    figures.links_shared = report_.links_shared;
    check_run(figures);
  }

  const PipelineSpec& spec_;
  const Hardware& hardware_;
  SimulateOptions options_;
  std::optional<std::uint64_t> most_work_;
  Mesh mesh_;
  RoutePlanner planner_;
  std::unique_ptr<Network> network_;
  Pipeline pipeline_;
  Demands demands_;
  FullRate full_rate_;
  std::optional<SteadyPeriod> steady_;
  std::optional<SteadyPeriod> full_;
  std::uint64_t steps_ = 0;
  std::size_t done_ = 0;  // samples, when it was last asked whether enough is seen
  double per_sample_ = 0;
  double pace_ = 0;  // likewise while the pipeline is full
  ThroughputReport report_;
};

const char* bound_name(Bound bound) { return kBoundNames[static_cast<std::size_t>(bound)].data(); }

ThroughputReport simulate(const PipelineSpec& spec, const Hardware& hardware,
                          const SimulateOptions& options) {
  return PipelineSimulation(spec, hardware, options).go_on({}, options.control);
}

struct ResumableRun::Parts {
  Parts(PipelineSpec asked, const Hardware& hardware, SimulateOptions options)
      : spec(std::move(asked)), run(spec, hardware, std::move(options)) {}
  const PipelineSpec spec;
  PipelineSimulation run;
};

ResumableRun::ResumableRun(PipelineSpec spec, const Hardware& hardware, SimulateOptions options)
    : parts_(std::make_unique<Parts>(std::move(spec), hardware, std::move(options))) {}
ResumableRun::~ResumableRun() = default;

ThroughputReport ResumableRun::go_on(std::optional<std::uint64_t> most_work,
                                     const RunControl& control) {
  return parts_->run.go_on(most_work, control);
}

bool needs_other_networks(const ThroughputReport& found) {
  return found.rate_error && found.rate_error->is_restless() && !found.stopped;
}

std::optional<OtherNetworks> run_other_networks(const PipelineSpec& spec, const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found) {
  if (!needs_other_networks(found)) return std::nullopt;
  SimulateOptions quiet = options;
  quiet.observers.clear();
  OtherNetworks others;
  for (const auto& [network, makespan] : {std::pair{NetworkKind::exclusive, &others.exclusive},
                                          std::pair{NetworkKind::analytic, &others.analytic}}) {
    quiet.network = network;
    const ThroughputReport other = simulate(spec, hardware, quiet);
    if (other.stopped) return std::nullopt;
    *makespan = other.makespan;
  }
  return others;
}

}  // namespace waferloom::sim
