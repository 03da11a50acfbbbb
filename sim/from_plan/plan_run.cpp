#include "sim/plan_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/from_plan/stage_exchanges.h"
#include "sim/mesh/run_check.h"

namespace waferloom::sim {
namespace {

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

/// An update beside the last backward leaves links no more time than the bytes of both need.
void keep_updates_within_links(const Mesh& mesh, PipelineSpec& spec) {
  for (StageSpec& stage : spec.stages) {
    std::map<LinkIndex, std::int64_t> bytes;
    for (const LinkLoad& load : stage.apart[1].links) bytes[load.link] += load.bytes;
    double least = 0;
    for (const LinkLoad& load : stage.apart[2].links) {
      const auto beside = bytes.find(load.link);
      const std::int64_t both = load.bytes + (beside == bytes.end() ? 0 : beside->second);
      least = std::max(least, link_time(mesh, load.link, both));
    }
    StageUpdate& update = *stage.update;
    const double missing = least - static_cast<double>(stage.backward + update.exchange_left);
    if (missing <= 1e-6 * least) continue;
    update.exchange_left =
        later(update.exchange_left, static_cast<Picoseconds>(std::ceil(missing)));
    update.exchange = std::max(update.exchange, update.exchange_left);
  }
}

/// The pipeline with what stages exchange where others meet it, and with their updates.
PipelineSpec run_spec(const PlannedPipeline& planned, const Hardware& hardware,
                      const SimulateOptions& options) {
  PipelineSpec spec = planned.spec;
  const Mesh mesh(hardware);
  add_exchanges(planned, hardware, mesh, options.routing, options.network, spec, options.control);
  if (!planned.plan.trains()) return spec;
  spec.overlaps_updates = planned.plan.overlap;
  for (std::size_t i = 0; i < spec.stages.size(); ++i) {
    const StageService& service = planned.services[i];
    StageUpdate update{service.update, service.update_left, service.update_memory};
    if (!planned.streams.empty() && planned.streams[i]) {
      const MemoryTraffic& traffic = planned.memory.stages[i].update;
      update.read = planned.streams[i]->read;
      update.written = planned.streams[i]->written;
      update.read_bytes = traffic.read;
      update.written_bytes = traffic.written;
    }
    spec.stages[i].update = update;
  }
  const bool meets = options.network != NetworkKind::analytic;
  if (spec.overlaps_updates && meets) keep_updates_within_links(mesh, spec);
  return spec;
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

/// Nothing computes more than its peak. Times of stages are rounded to picoseconds, once a
/// micro-batch.
void check_peak(const PlannedPipeline& planned, const PlanReport& report) {
  if (report.run.stopped || report.samples_per_s <= 0) return;
  const double time = static_cast<double>(planned.plan.samples()) *
                      static_cast<double>(kPicosecondsPerSecond) / report.samples_per_s;
  check_run({"plan",
             {{"the peak rate of the plan's tiles", report.use.peak_share_of_plan * time, time},
              {"the peak rate of the wafer", report.use.peak_share_of_wafer * time, time}}});
}

/// A plan's own number of micro-batches; of training all of them are run.
SimulateOptions options_of(const Plan& plan, const SimulateOptions& options) {
  SimulateOptions own = options;
  own.samples = plan.micro_batches;
  own.extrapolate = options.extrapolate && !plan.trains();
  own.rate_when_full = !plan.trains();
  return own;
}

PlanReport plan_report(const PlannedPipeline& planned, const Hardware& hardware,
                       ThroughputReport run) {
  const Plan& plan = planned.plan;
  const bool trains = plan.trains();
  PlanReport report;
  report.run = std::move(run);
  if (report.run.stopped_by_work) return report;
  report.ideal_samples_per_s = ideal(planned);
  report.batch = std::max(report.run.makespan, report.run.updated);
  const auto samples = static_cast<double>(plan.samples());
  report.samples_per_s = trains ? samples * static_cast<double>(plan.micro_batches) *
                                      static_cast<double>(kPicosecondsPerSecond) /
                                      static_cast<double>(report.batch)
                                : samples * report.run.samples_per_s;
  report.rate_of = trains ? RateOf::whole_run : report.run.rate_of;
  report.bubble = 1 - computing_share(planned, report.batch);
  report.use = tile_use(planned, hardware, report.samples_per_s);
  check_peak(planned, report);
  return report;
}

}  // namespace

PlanReport simulate_plan(const PlannedPipeline& planned, const Hardware& hardware,
                         const SimulateOptions& options) {
  const SimulateOptions own = options_of(planned.plan, options);
  return plan_report(planned, hardware, simulate(run_spec(planned, hardware, own), hardware, own));
}

PlanRun::PlanRun(PlannedPipeline planned, const Hardware& hardware, const SimulateOptions& options)
    : planned_(std::move(planned)),
      hardware_(hardware),
      run_(run_spec(planned_, hardware, options_of(planned_.plan, options)), hardware,
           options_of(planned_.plan, options)) {}

PlanReport PlanRun::go_on(std::optional<std::uint64_t> most_work, const RunControl& control) {
  return plan_report(planned_, hardware_, run_.go_on(most_work, control));
}

std::optional<OtherNetworks> run_other_networks(const PlannedPipeline& planned,
                                                const Hardware& hardware,
                                                const SimulateOptions& options,
                                                const ThroughputReport& found) {
  if (!needs_other_networks(found)) return std::nullopt;
  const SimulateOptions own = options_of(planned.plan, options);
  return run_other_networks(run_spec(planned, hardware, own), hardware, own, found);
}

}  // namespace waferloom::sim
