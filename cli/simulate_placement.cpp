#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "cli/failure.h"
#include "cli/gzip.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/judgement.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/simulation_options.h"
#include "cli/simulation_report.h"
#include "model/hardware_file.h"
#include "model/presets.h"
#include "model/text_scan.h"
#include "sim/chrome_trace.h"
#include "sim/contest_pipeline.h"
#include "sim/simulate.h"
#include "sim/task_log.h"
#include "viz/link_heat_map.h"
#include "viz/stage_timeline.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000;
constexpr std::uint64_t kMostListed = 100'000;        // links and flows
constexpr std::int64_t kMostTraceEvents = 2'000'000;  // some 30 MB, compressed
constexpr std::size_t kMostTasksDrawn = 20'000;

/// --hardware NAME|FILE: a preset if there is one of that name.
Hardware read_hardware_option(const Arguments& arguments) {
  const std::string name = arguments.has("hardware") ? arguments.text("hardware") : "wse1";
  if (const auto preset = hardware_preset(name)) return read_hardware(*preset, name);
  const bool is_path = name == "-" || name.find_first_of("./") != std::string::npos;
  if (!is_path && !std::filesystem::exists(name)) {
    const std::vector<std::string_view> names = hardware_preset_names();
    std::string list;
    for (const std::string_view preset : names) list += std::string(preset) + ", ";
    throw Failure(FailureKind::usage, "--hardware: expected " + list + "or a file, found " +
                                          waferloom::quoted(name) + suggestion(name, names));
  }
  return read_hardware(read_input(name, arguments.common()), source_name(name));
}

struct Outputs {
  explicit Outputs(const CommonOptions& common) : report(common) {}
  ReportTarget report;
  std::optional<OutputFile> links;
  std::optional<OutputFile> trace;
  std::optional<PictureFile> heat_map;
  std::optional<PictureFile> timeline;
};

Outputs outputs_of(const Arguments& arguments) {
  Outputs outputs(arguments.common());
  if (arguments.has("links")) outputs.links.emplace(arguments.text("links"));
  if (arguments.has("trace")) outputs.trace.emplace(arguments.text("trace"));
  if (arguments.has("heatmap")) {
    outputs.heat_map = picture_file("--heatmap", arguments.text("heatmap"));
  }
  if (arguments.has("timeline")) {
    outputs.timeline = picture_file("--timeline", arguments.text("timeline"));
  }
  std::vector<const OutputFile*> files;
  if (outputs.report.file() != nullptr) files.push_back(outputs.report.file());
  if (outputs.links) files.push_back(&*outputs.links);
  if (outputs.trace) files.push_back(&*outputs.trace);
  if (outputs.heat_map) files.push_back(&outputs.heat_map->file);
  if (outputs.timeline) files.push_back(&outputs.timeline->file);
  std::vector<std::string> inputs = arguments.list("CASE");
  for (const char* name : {"SOL", "placement", "hardware", "wafer", "constraints"}) {
    for (const std::string& path : arguments.list(name)) {
      if (std::string(name) != "hardware" || !hardware_preset(path)) inputs.push_back(path);
    }
  }
  check_one_stdin(inputs);
  check_distinct(files, inputs);
  return outputs;
}

SimulateOptions simulate_options(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  SimulateOptions options;
  options.network = parse_network(arguments);
  options.routing = parse_routing(arguments).value_or(Routing::xy);
  if (arguments.has("samples")) {
    options.samples = static_cast<std::int64_t>(
        parse_whole(arguments.text("samples"), "--samples", {1, kMostSamples}));
  }
  if (arguments.has("top")) {
    options.top = parse_whole(arguments.text("top"), "--top", {1, kMostListed});
  }
  options.extrapolate = !arguments.has("no-extrapolation");
  options.stopped = [&common] { return is_cut(common); };
  return options;
}

/// A trace on its way into a file, compressed if its name ends in .gz.
class TraceFile {
 public:
  TraceFile(const OutputFile& file, const PipelineSpec& spec)
      : is_compressed_(file.path().ends_with(".gz")),
        stream_(file),
        gzip_([this](std::string_view bytes) { stream_.append(bytes); }),
        trace_(
            spec, [this](std::string_view text) { append(text); }, kMostTraceEvents) {}

  ChromeTrace& observer() { return trace_; }

  void finish(Warnings& warnings) {
    trace_.finish();
    if (is_compressed_) gzip_.finish();
    stream_.commit();
    if (trace_.left_out() == 0) return;
    warnings.add("the trace has the first " + std::to_string(kMostTraceEvents) + " events; " +
                 std::to_string(trace_.left_out()) + " more are left out");
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
  ChromeTrace trace_;
};

/// The filling of the pipeline and as much again, at least a dozen periods, as far as it was
/// logged.
Picoseconds shown_time(const ThroughputReport& found, const TaskLog& log) {
  constexpr double kPeriods = 12;
  const double per_sample =
      static_cast<double>(found.period) / static_cast<double>(found.period_samples);
  const double wanted = static_cast<double>(found.first_sample) +
                        std::max(static_cast<double>(found.first_sample), kPeriods * per_sample);
  const Picoseconds logged = log.is_full() ? std::max<Picoseconds>(1, log.tasks().back().begin)
                                           : std::max<Picoseconds>(1, found.simulated_time);
  return wanted < static_cast<double>(logged) ? static_cast<Picoseconds>(wanted) : logged;
}

/// Stages in the order in which they began; those that did not, behind.
std::vector<std::size_t> by_begin(std::size_t stages, const TaskLog& log) {
  std::vector<Picoseconds> begin(stages, kNever);
  for (const TaskLog::Task& task : log.tasks()) {
    begin[task.stage] = std::min(begin[task.stage], task.begin);
  }
  std::vector<std::size_t> order(stages);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return begin[a] < begin[b]; });
  return order;
}

StageTimeline timeline_of(const ThroughputReport& found, const TaskLog& log,
                          const SimulationSubject& subject) {
  StageTimeline timeline;
  const std::vector<std::size_t> order = by_begin(found.stages.size(), log);
  std::vector<std::size_t> row(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) row[order[i]] = i;
  for (const std::size_t index : order) {
    const StageTimes& stage = found.stages[index];
    const auto all = static_cast<double>(std::max<Picoseconds>(1, stage.total()));
    const auto share = [&](Picoseconds part) { return static_cast<double>(part) / all; };
    timeline.stages.push_back({stage.name,
                               {share(stage.compute), share(stage.communication), share(stage.edge),
                                share(stage.stalled), share(stage.idle)}});
  }
  for (const TaskLog::Task& task : log.tasks()) {
    timeline.tasks.push_back({row[task.stage], task.backward, task.sample, task.begin, task.end});
  }
  timeline.end_ps = shown_time(found, log);
  timeline.facts = throughput_text(found) + ", bound by " + bound_text(found) + ", " +
                   subject.hardware.name + ", network " +
                   std::string(network_name(subject.options.network));
  return timeline;
}

class PlacementSimulation {
 public:
  explicit PlacementSimulation(const Arguments& arguments)
      : arguments_(arguments),
        common_(arguments.common()),
        outputs_(outputs_of(arguments)),
        options_(simulate_options(arguments)),
        hardware_(read_hardware_option(arguments)),
        warnings_(common_),
        problem_(read_problem(problem_files(arguments), common_, warnings_)),
        placement_(read_legal_placement()),
        log_(kMostTasksDrawn) {
    add_dead_tiles(hardware_, problem_.wafer().dead);
  }

  void run() {
    try {
      simulate_pipeline();
    } catch (const std::invalid_argument& error) {
      throw Failure(FailureKind::input,
                    (arguments_.has("hardware") ? arguments_.text("hardware") : hardware_.name) +
                        ": " + error.what());
    }
    warn_of_full_ports();
    draw();
    write_report();
  }

 private:
  Placement read_legal_placement() const {
    const std::string& path = arguments_.text(arguments_.has("SOL") ? "SOL" : "placement");
    const Judgement judgement = judge(problem_, read_solution_file(path, common_));
    if (judgement.legal()) return *judgement.placement;
    throw Failure(FailureKind::check,
                  source_name(path) + ": illegal: " + judgement.violations.front().message);
  }

  void simulate_pipeline() {
    const PipelineSpec spec =
        contest_pipeline(problem_, placement_, hardware_, arguments_.has("training"));
    Progress progress(common_);
    SimulateOptions options = options_;
    Clock::time_point told = Clock::now();
    options.on_progress = [&](std::int64_t done) {
      constexpr double kBetween = 0.5;
      if (seconds_since(told) < kBetween) return;
      told = Clock::now();
      progress.update("simulating, " + std::to_string(done) + " samples done", source());
    };
    std::optional<TraceFile> trace;
    if (outputs_.trace) {
      trace.emplace(*outputs_.trace, spec);
      options.observers.push_back(&trace->observer());
    }
    if (outputs_.timeline) options.observers.push_back(&log_);
    const Clock::time_point start = Clock::now();
    found_ = simulate(spec, hardware_, options);
    wall_s_ = seconds_since(start);
    progress.finish();
    throw_if_interrupted();
    throw_if_late(common_);
    if (found_.simulated == 0) throw Failure(FailureKind::internal, "no sample was done");
    if (trace) trace->finish(warnings_);
  }

  /// One warning, however many ports there are.
  void warn_of_full_ports() {
    const PortUse* first = nullptr;
    std::size_t full = 0;
    for (const PortUse& port : found_.ports) {
      if (port.fits()) continue;
      if (full++ == 0) first = &port;
    }
    if (full == 0) return;
    warnings_.add(
        "port " + first->name + (full > 1 ? ", the first of " + std::to_string(full) : "") +
        ", has room for " + std::to_string(*first->capacity_bytes) +
        " bytes, samples under way through it may take " + std::to_string(first->held_bytes));
  }

  void draw() {
    if (outputs_.links) outputs_.links->write(links_csv(found_, hardware_));
    if (outputs_.heat_map) {
      LinkHeatMap map;
      map.mesh = hardware_.wafer;
      map.link_bytes = found_.link_bytes;
      map.stages = rectangles(problem_, placement_);
      map.title = file_names(arguments_.list("CASE"));
      outputs_.heat_map->file.write(draw_link_heat_map(map, outputs_.heat_map->format));
    }
    if (outputs_.timeline) {
      StageTimeline timeline = timeline_of(found_, log_, subject());
      timeline.title = file_names(arguments_.list("CASE"));
      outputs_.timeline->file.write(draw_stage_timeline(timeline, outputs_.timeline->format));
    }
  }

  void write_report() {
    SimulationSpeed speed;
    speed.wall_s = wall_s_;
    speed.events_per_s = static_cast<double>(found_.events) / std::max(1e-6, wall_s_);
    speed.peak_memory_bytes = peak_memory_bytes();
    Json report = simulation_json(found_, subject());
    // Only on demand: it differs from run to run.
    report["speed"] = common_.verbose ? speed_json(speed) : Json();
    report["warnings"] = warnings_.texts();
    outputs_.report.write(report);
    if (outputs_.report.on_stdout()) return;
    write_stdout(simulation_summary(found_, subject(), source()) + speed_line(speed));
  }

  SimulationSubject subject() const { return {hardware_, options_, arguments_.has("training")}; }
  std::string source() const { return source_name(arguments_.text("CASE")); }

  const Arguments& arguments_;
  const CommonOptions& common_;
  Outputs outputs_;
  SimulateOptions options_;
  Hardware hardware_;
  Warnings warnings_;
  Problem problem_;
  Placement placement_;
  TaskLog log_;
  ThroughputReport found_;
  double wall_s_ = 0;
};

}  // namespace

int simulate_placement(const Arguments& arguments) {
  PlacementSimulation(arguments).run();
  return 0;
}

}  // namespace waferloom
