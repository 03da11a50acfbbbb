#include "cli/commands/simulate/simulation_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/gzip.h"
#include "cli/files/input_file.h"
#include "sim/pipeline_observers.h"
#include "viz/link_heat_map.h"
#include "viz/stage_timeline.h"

namespace waferloom::cli {
namespace {

constexpr std::int64_t kMostTraceEvents = 2'000'000;  // some 30 MB, compressed
constexpr std::size_t kMostTasksDrawn = 20'000;

/// The filling of the pipeline and as much again, at least a dozen periods, as far as it was
/// logged.
sim::Picoseconds shown_time(const sim::ThroughputReport& found, const sim::TaskLog& log) {
  constexpr double kPeriods = 12;
  const double per_sample =
      static_cast<double>(found.period) / static_cast<double>(found.period_samples);
  const double wanted = static_cast<double>(found.first_sample) +
                        std::max(static_cast<double>(found.first_sample), kPeriods * per_sample);
  const sim::Picoseconds logged = log.is_full()
                                      ? std::max<sim::Picoseconds>(1, log.tasks().back().begin)
                                      : std::max<sim::Picoseconds>(1, found.simulated_time);
  return wanted < static_cast<double>(logged) ? static_cast<sim::Picoseconds>(wanted) : logged;
}

/// The tiles of a stage: its own where nobody shares any.
std::size_t worker(const std::vector<std::size_t>& worker_of, std::size_t stage) {
  return worker_of.empty() ? stage : worker_of[stage];
}

/// Stages in the order in which their tiles began; those that did not, behind.
std::vector<std::size_t> by_begin(std::size_t stages, const sim::TaskLog& log,
                                  const std::vector<std::size_t>& worker_of) {
  std::vector<sim::Picoseconds> begin(stages, sim::kNever);
  for (const sim::TaskLog::Task& task : log.tasks()) {
    sim::Picoseconds& first = begin[worker(worker_of, task.stage)];
    first = std::min(first, task.begin);
  }
  std::vector<std::size_t> order(stages);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return begin[a] < begin[b]; });
  return order;
}

viz::StageTimeline timeline_of(const sim::ThroughputReport& found, const sim::TaskLog& log,
                               const std::vector<std::size_t>& worker_of,
                               const sim::SimulationSubject& subject) {
  viz::StageTimeline timeline;
  const std::vector<std::size_t> order = by_begin(found.stages.size(), log, worker_of);
  std::vector<std::size_t> row(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) row[order[i]] = i;
  for (const std::size_t index : order) {
    const sim::StageTimes& stage = found.stages[index];
    const auto all = static_cast<double>(std::max<sim::Picoseconds>(1, stage.total()));
    const auto share = [&](sim::Picoseconds part) { return static_cast<double>(part) / all; };
    timeline.stages.push_back({stage.name,
                               {share(stage.compute), share(stage.communication), share(stage.edge),
                                share(stage.stalled), share(stage.idle)}});
  }
  for (const sim::TaskLog::Task& task : log.tasks()) {
    timeline.tasks.push_back(
        {row[worker(worker_of, task.stage)], task.backward, task.sample, task.begin, task.end});
  }
  timeline.end_ps = shown_time(found, log);
  timeline.facts = subject.rate + ", bound by " + bound_text(found) + ", " + subject.hardware.name +
                   ", network " + std::string(sim::network_name(subject.options.network));
  if (found.other_networks) timeline.facts += ", rates may be off";
  return timeline;
}

/// One warning, however many ports there are.
void warn_of_full_ports(const sim::ThroughputReport& found, Warnings& warnings) {
  const sim::PortUse* first = nullptr;
  std::size_t full = 0;
  for (const sim::PortUse& port : found.ports) {
    if (port.fits()) continue;
    if (full++ == 0) first = &port;
  }
  if (full == 0) return;
  warnings.add(
      fmt::format("port {}{}, has room for {} bytes, what is under way through it may take {}",
                  first->name, full > 1 ? fmt::format(", the first of {}", full) : "",
                  *first->capacity_bytes, first->held_bytes));
}

}  // namespace

/// A trace on its way into a file, compressed if its name ends in .gz.
class SimulationOutputs::TraceFile {
 public:
  TraceFile(const OutputFile& file, const sim::PipelineSpec& spec, const std::string& unit)
      : is_compressed_(file.path().ends_with(".gz")),
        stream_(file),
        gzip_([this](std::string_view bytes) { stream_.append(bytes); }),
        trace_(
            spec, [this](std::string_view text) { append(text); }, kMostTraceEvents, unit) {}

  sim::ChromeTrace& observer() { return trace_; }

  void finish(Warnings& warnings) {
    trace_.finish();
    if (is_compressed_) gzip_.finish();
    stream_.commit();
    if (trace_.left_out() == 0) return;
    warnings.add(fmt::format("the trace has the first {} events; {} more are left out",
                             kMostTraceEvents, trace_.left_out()));
  }

 private:
  void append(std::string_view text) {
    if (is_compressed_) {
      gzip_.append(text);
    } else {
      stream_.append(text);
    }
  }

  bool is_compressed_;
  OutputStream stream_;
  Gzip gzip_;
  sim::ChromeTrace trace_;
};

Options<PipelineFiles> pipeline_file_options() {
  return {option(&PipelineFiles::links,
                 {"links", '\0', "FILE", "Write the bytes of every link as CSV."}),
          option(&PipelineFiles::heat_map,
                 {"heatmap", '\0', "FILE", "Draw the links' loads: .svg, .png or .pdf."}),
          option(&PipelineFiles::timeline,
                 {"timeline", '\0', "FILE", "Draw when stages work and wait: .svg, .png or .pdf."}),
          option(&PipelineFiles::trace,
                 {"trace", '\0', "FILE",
                  "Write all tasks and tensors for chrome://tracing or Perfetto, at most two "
                  "million events; compressed if FILE ends in .gz."})};
}

SimulationOutputs::SimulationOutputs(const PipelineFiles& files, const std::string& subject,
                                     const std::vector<std::string>& inputs,
                                     const CommonOptions& common)
    : subject_(subject),
      common_(common),
      report_(common),
      progress_(common),
      begin_(optimize::Clock::now()),
      told_(begin_),
      log_(kMostTasksDrawn) {
  if (files.links) links_.emplace(*files.links);
  if (files.trace) trace_.emplace(*files.trace);
  if (files.heat_map) heat_map_ = picture_file("--heatmap", *files.heat_map);
  if (files.timeline) timeline_ = picture_file("--timeline", *files.timeline);
  std::vector<const OutputFile*> outputs;
  if (report_.file() != nullptr) outputs.push_back(report_.file());
  if (links_) outputs.push_back(&*links_);
  if (trace_) outputs.push_back(&*trace_);
  if (heat_map_) outputs.push_back(&heat_map_->file);
  if (timeline_) outputs.push_back(&timeline_->file);
  check_one_stdin(inputs);
  check_distinct(outputs, inputs);
}

SimulationOutputs::~SimulationOutputs() = default;

std::string SimulationOutputs::title() const { return file_names({subject_}); }

void SimulationOutputs::listen(const sim::PipelineSpec& spec, sim::SimulateOptions& options,
                               const std::string& unit) {
  unit_ = unit;
  begin_ = optimize::Clock::now();
  worker_of_ = spec.worker_of;
  options.on_progress = [this, own = options.network](const sim::RunProgress& run) {
    constexpr double kBetween = 0.5;
    if (seconds_since(told_) < kBetween) return;
    told_ = optimize::Clock::now();
    const std::string verb =
        run.network == own
            ? "simulating"
            : "comparing with " +
                  std::string(sim::kNetworkNames[static_cast<std::size_t>(run.network)]);
    progress_.update(fmt::format("{}, {} {} of {} is done", verb, unit_, run.done, run.samples),
                     source_name(subject_));
  };
  if (trace_) {
    tracing_ =
        std::make_unique<TraceFile>(*trace_, spec, unit == "sample" ? "sample" : "micro_batch");
    options.observers.push_back(&tracing_->observer());
  }
  if (timeline_) options.observers.push_back(&log_);
}

void SimulationOutputs::end(const sim::ThroughputReport& found, Warnings& warnings) {
  wall_s_ = seconds_since(begin_);
  progress_.finish();
  throw_if_interrupted();
  throw_if_late(common_);
  if (found.simulated == 0) throw Failure(FailureKind::internal, "no sample was done");
  if (tracing_) tracing_->finish(warnings);
  warn_of_full_ports(found, warnings);
  if (found.other_networks) warnings.add(unrest_text(*found.rate_error));
}

void SimulationOutputs::draw(const sim::ThroughputReport& found,
                             const sim::SimulationSubject& subject,
                             const std::vector<Rectangle>& rectangles) const {
  if (links_) links_->write(sim::links_csv(found, subject.hardware));
  if (heat_map_) {
    const viz::LinkHeatMap map = viz::hardware_links(
        subject.hardware, sim::link_busy(found, subject.hardware), rectangles, title(),
        !found.links_shared ? "without contention: against the busiest link"
                            : (found.other_networks ? "rates may be off" : ""));
    heat_map_->file.write(viz::draw_link_heat_map(map, heat_map_->format));
  }
  if (timeline_) {
    viz::StageTimeline timeline = timeline_of(found, log_, worker_of_, subject);
    timeline.title = title();
    timeline.unit = unit_;
    timeline_->file.write(viz::draw_stage_timeline(timeline, timeline_->format));
  }
}

void SimulationOutputs::write(const sim::ThroughputReport& found,
                              const sim::SimulationSubject& subject,
                              const std::vector<Rectangle>& rectangles,
                              const std::optional<sim::PlannedRun>& plan,
                              const std::string& summary, const Warnings& warnings) {
  draw(found, subject, rectangles);
  const sim::SimulationSpeed speed{
      wall_s_, static_cast<double>(found.events) / std::max(1e-6, wall_s_), peak_memory_bytes()};
  sim::SimulationExtras extras{plan, {}, warnings.texts()};
  if (common_.verbose) extras.speed = speed;  // it differs from run to run
  report_.write(sim::simulation_report(found, subject, extras));
  if (!report_.on_stdout()) write_stdout(summary + speed_line(speed));
}

}  // namespace waferloom::cli
