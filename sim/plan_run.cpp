#include "sim/plan_run.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "sim/edge_ports.h"
#include "sim/lanes.h"

namespace waferloom {
namespace {

/// When each stage ends its last task.
class LastTasks : public PipelineObserver {
 public:
  explicit LastTasks(std::size_t stages) : ends_(stages, 0) {}
  void on_task(std::size_t stage, bool, std::int64_t, Picoseconds, Picoseconds end) override {
    ends_[stage] = end;
  }
  void on_shipment(std::size_t, bool, std::int64_t, Picoseconds, Picoseconds) override {}
  Picoseconds end(std::size_t stage) const { return ends_[stage]; }

 private:
  std::vector<Picoseconds> ends_;
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

/// When every stage's gradients are reduced: tiles do it part by part, as these end.
std::vector<Picoseconds> reduced(const PlannedPipeline& planned, const LastTasks& last) {
  std::vector<Picoseconds> result(planned.services.size());
  for (std::size_t worker = 0; worker < planned.tiles.size(); ++worker) {
    std::vector<std::size_t> parts;
    for (std::size_t i = worker; i < planned.services.size(); i += planned.tiles.size()) {
      parts.push_back(i);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [&](std::size_t a, std::size_t b) { return last.end(a) < last.end(b); });
    Picoseconds now = 0;
    for (const std::size_t part : parts) {
      const StageService& service = planned.services[part];
      now = std::max(later(now, service.update), later(last.end(part), service.update_left));
      result[part] = now;
    }
  }
  return result;
}

/// When every stage's parameters are new: those that do not stay in SRAM come in through the ports
/// and go out again, a port serving one stage behind the other.
Picoseconds updated(const PlannedPipeline& planned, std::vector<Picoseconds> ready) {
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

}  // namespace

PlanReport simulate_plan(const PlannedPipeline& planned, const Hardware& hardware,
                         const SimulateOptions& options) {
  const Plan& plan = planned.plan;
  const bool trains = plan.trains();
  LastTasks last(planned.cut.stages.size());
  SimulateOptions own = options;
  own.samples = plan.micro_batches;
  own.extrapolate = options.extrapolate && !trains;
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
  double computing = 0;
  for (const StageSpec& stage : planned.spec.stages) {
    computing += static_cast<double>(stage.forward - stage.forward_exchange + stage.backward -
                                     stage.backward_exchange);
  }
  computing *= static_cast<double>(plan.micro_batches);
  report.bubble = 1 - computing / (static_cast<double>(std::max<Picoseconds>(1, report.batch)) *
                                   static_cast<double>(planned.tiles.size()));
  return report;
}

}  // namespace waferloom
