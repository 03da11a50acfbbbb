#include "sim/plan_run.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/mesh/edge_ports.h"
#include "sim/pipeline/lanes.h"

namespace waferloom::sim {
namespace {

/// When each stage ends its last task, and each channel has moved its last tensor.
class LastTasks : public PipelineObserver {
 public:
  explicit LastTasks(std::size_t stages) : ends_(stages, 0) {}
  void on_task(std::size_t stage, bool, std::int64_t, Picoseconds, Picoseconds end) override {
    ends_[stage] = end;
  }
  void on_shipment(std::size_t channel, bool, std::int64_t, Picoseconds, Picoseconds end) override {
    shipments_.resize(std::max(shipments_.size(), channel + 1), 0);
    shipments_[channel] = end;
  }
  Picoseconds end(std::size_t stage) const { return ends_[stage]; }
  /// When what it wrote last was in memory.
  Picoseconds written(const PlannedPipeline& planned, std::size_t stage) const {
    if (planned.streams.empty() || !planned.streams[stage]) return 0;
    const std::size_t channel = planned.streams[stage]->written;
    return channel < shipments_.size() ? shipments_[channel] : 0;
  }

 private:
  std::vector<Picoseconds> ends_;
  std::vector<Picoseconds> shipments_;  // by channel
};

double ideal(const PlannedPipeline& planned) {
  const Plan& plan = planned.plan;
  double flop_per_s = 0;
  for (std::size_t i = 0; i < planned.tiles.size(); ++i) {
    flop_per_s += planned.cut.stages[i].flop_per_s;
  }
  const double rate = flop_per_s / static_cast<double>(planned.cut.sample_flop);
  if (!plan.trains()) return rate;
  const auto micro_batches = static_cast<double>(plan.micro_batches);
  const double filling = static_cast<double>(plan.pipeline - 1) / static_cast<double>(plan.chunks);
  return rate * micro_batches / (micro_batches + filling);
}

/// When every stage's gradients are reduced: tiles do it part by part, with overlap as these end,
/// otherwise when all have.
std::vector<Picoseconds> reduced(const PlannedPipeline& planned, const LastTasks& last) {
  std::vector<Picoseconds> result(planned.services.size());
  for (std::size_t worker = 0; worker < planned.tiles.size(); ++worker) {
    std::vector<std::size_t> parts;
    Picoseconds end = 0;
    for (std::size_t i = worker; i < planned.services.size(); i += planned.tiles.size()) {
      parts.push_back(i);
      end = std::max(end, last.end(i));
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [&](std::size_t a, std::size_t b) { return last.end(a) < last.end(b); });
    Picoseconds now = planned.plan.overlap ? 0 : end;
    for (const std::size_t part : parts) {
      const StageService& service = planned.services[part];
      now = std::max(later(now, service.update), later(last.end(part), service.update_left));
      result[part] = std::max(now, last.written(planned, part));
    }
  }
  return result;
}

/// When every stage's parameters are new: those that do not stay in SRAM come in through the ports
/// and go out again, a port serving one stage behind the other.
Picoseconds updated(const PlannedPipeline& planned, std::vector<Picoseconds> ready) {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    ready[i] = later(ready[i], planned.services[i].update_memory);
  }
  EdgePorts ports(planned.spec, 1);
  for (const bool out : {false, true}) {
    std::vector<std::size_t> order(ready.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ready[a] < ready[b]; });
    for (const std::size_t stage : order) {
      if (planned.streams.empty() || !planned.streams[stage]) continue;
      const StageStream& stream = *planned.streams[stage];
      const ChannelSpec& channel = planned.spec.channels[out ? stream.written : stream.read];
      const MemoryTraffic& update = planned.memory.stages[stage].update;
      const std::int64_t bytes = out ? update.written : update.read;
      const Picoseconds begin = ready[stage];
      for (std::size_t lane = 0; bytes > 0 && lane < channel.ports.size(); ++lane) {
        const std::int64_t part = lane_bytes(bytes, channel.ports.size(), lane);
        if (part == 0) continue;
        ready[stage] = std::max(ready[stage], ports.pass(channel.ports[lane], out, begin, part));
      }
    }
  }
  return *std::max_element(ready.begin(), ready.end());
}

/// Part of a batch in which tiles compute, over all tiles.
double computing_share(const PlannedPipeline& planned, Picoseconds batch) {
  double computing = 0;
  double all = 0;
  for (const std::int64_t tiles : planned.memory.tiles) all += static_cast<double>(tiles);
  for (std::size_t i = 0; i < planned.spec.stages.size(); ++i) {
    const StageSpec& stage = planned.spec.stages[i];
    const Picoseconds forward = stage.forward - stage.forward_exchange - stage.forward_wait;
    const Picoseconds backward = stage.backward - stage.backward_exchange - stage.backward_wait;
    computing += static_cast<double>(planned.memory.tiles[i % planned.tiles.size()]) *
                 static_cast<double>(forward + (planned.plan.trains() ? backward : 0));
  }
  return computing * static_cast<double>(planned.plan.micro_batches) /
         (static_cast<double>(std::max<Picoseconds>(1, batch)) * all);
}

TileUse tile_use(const PlannedPipeline& planned, const Hardware& hardware, double samples_per_s) {
  TileUse use;
  use.plan_tiles =
      std::accumulate(planned.memory.tiles.begin(), planned.memory.tiles.end(), std::int64_t{0});
  use.wafer_tiles = usable_tiles(hardware.wafer);
  const auto peak =
      static_cast<double>(hardware.peak_flop_per_s_per_tile.at(planned.plan.data_type));
  const double tiles = samples_per_s * static_cast<double>(planned.cut.sample_flop) / peak;
  use.peak_share_of_plan = tiles / static_cast<double>(use.plan_tiles);
  use.peak_share_of_wafer = tiles / static_cast<double>(use.wafer_tiles);
  return use;
}

/// A plan's own number of micro-batches; of training all of them are run.
SimulateOptions options_of(const Plan& plan, const SimulateOptions& options) {
  SimulateOptions own = options;
  own.samples = plan.micro_batches;
  own.extrapolate = options.extrapolate && !plan.trains();
  return own;
}

}  // namespace

PlanReport simulate_plan(const PlannedPipeline& planned, const Hardware& hardware,
                         const SimulateOptions& options) {
  const Plan& plan = planned.plan;
  const bool trains = plan.trains();
  LastTasks last(planned.cut.stages.size());
  SimulateOptions own = options_of(plan, options);
  own.observers.push_back(&last);
  PlanReport report;
  report.run = simulate(planned.spec, hardware, own);
  report.ideal_samples_per_s = ideal(planned);
  report.batch = trains ? std::max(report.run.makespan, updated(planned, reduced(planned, last)))
                        : report.run.makespan;
  const auto samples = static_cast<double>(plan.samples());
  report.samples_per_s = trains ? samples * static_cast<double>(plan.micro_batches) *
                                      static_cast<double>(kPicosecondsPerSecond) /
                                      static_cast<double>(report.batch)
                                : samples * report.run.samples_per_s;
  report.bubble = 1 - computing_share(planned, report.batch);
  report.use = tile_use(planned, hardware, report.samples_per_s);
  return report;
}

std::optional<OtherNetworks> run_other_networks(const PlannedPipeline& planned,
                                                const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found) {
  return run_other_networks(planned.spec, hardware, options_of(planned.plan, options), found);
}

}  // namespace waferloom::sim
