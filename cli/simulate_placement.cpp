#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/judgement.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/simulation_options.h"
#include "model/hardware_file.h"
#include "model/presets.h"
#include "model/text_scan.h"
#include "sim/contest_pipeline.h"
#include "sim/simulate.h"
#include "viz/link_heat_map.h"

namespace waferloom {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000;

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

/// A number as JSON, rounded to so many significant digits that a reader can use.
double rounded(double value) {
  std::ostringstream text;
  text.precision(6);
  text << value;
  return std::stod(text.str());
}

Json share(Picoseconds part, Picoseconds whole) {
  return rounded(100 * static_cast<double>(part) /
                 static_cast<double>(std::max<Picoseconds>(1, whole)));
}

Json stages_json(const ThroughputReport& found) {
  Json stages = Json::array();
  for (const StageTimes& stage : found.stages) {
    const Picoseconds all =
        stage.compute + stage.communication + stage.edge + stage.stalled + stage.idle;
    stages.push_back({{"name", stage.name},
                      {"compute_ps", stage.compute},
                      {"communication_ps", stage.communication},
                      {"edge_ps", stage.edge},
                      {"stalled_ps", stage.stalled},
                      {"idle_ps", stage.idle},
                      {"compute_percent", share(stage.compute, all)}});
  }
  return stages;
}

Json links_json(const ThroughputReport& found) {
  Json links = Json::array();
  for (const LinkUse& link : found.links) {
    links.push_back({{"x", link.x},
                     {"y", link.y},
                     {"direction", link.direction},
                     {"bytes", link.bytes},
                     {"busy", rounded(link.busy)}});
  }
  return links;
}

Json ports_json(const ThroughputReport& found) {
  Json ports = Json::array();
  for (const PortUse& port : found.ports) {
    ports.push_back({{"name", port.name},
                     {"bytes", port.bytes},
                     {"busy", rounded(port.busy)},
                     {"waited_ps", port.waited}});
  }
  return ports;
}

Json flows_json(const ThroughputReport& found) {
  Json flows = Json::array();
  for (const FlowUse& flow : found.flows) {
    flows.push_back({{"name", flow.name}, {"bytes", flow.bytes}, {"mean_ps", flow.mean}});
  }
  return flows;
}

Json resources_json(const ThroughputReport& found) {
  Json resources = Json::array();
  for (const Utilisation& resource : found.resources) {
    resources.push_back({{"name", resource.name},
                         {"busy_per_sample_ps", resource.busy_per_sample},
                         {"busy", rounded(resource.busy)}});
  }
  return resources;
}

Json assumptions_json(const Hardware& hardware) {
  Json assumptions = Json::array();
  for (const HardwareFigure& figure : hardware_figures(hardware)) {
    assumptions.push_back(
        {{"key", figure.key}, {"value", Json::parse(figure.value)}, {"source", figure.source}});
  }
  return assumptions;
}

Json report_json(const ThroughputReport& found, const Hardware& hardware,
                 const SimulateOptions& options, bool training) {
  Json report = new_report("simulate");
  report["hardware"] = hardware.name;
  report["network"] = network_name(options.network);
  report["routing"] = routing_name(options.routing);
  report["training"] = training;
  report["samples"] = found.samples;
  report["simulated_samples"] = found.simulated;
  report["extrapolated"] = found.simulated < found.samples;
  report["steady"] = found.steady;
  report["period_ps"] = found.period;
  report["period_samples"] = found.period_samples;
  report["samples_per_s"] = rounded(found.samples_per_s);
  report["first_sample_ps"] = found.first_sample;
  report["makespan_ps"] = found.makespan;
  report["simulated_time_ps"] = found.simulated_time;
  report["bound"] = bound_name(found.bound);
  report["bound_by"] = found.bound_by;
  report["resources"] = resources_json(found);
  report["stages"] = stages_json(found);
  report["links"] = links_json(found);
  report["ports"] = ports_json(found);
  report["flows"] = flows_json(found);
  report["buffer_bytes"] = found.buffer_bytes;
  report["events"] = found.events;
  report["assumptions"] = assumptions_json(hardware);
  return report;
}

/// Seconds of picoseconds in a unit that reads well.
std::string duration_text(Picoseconds time) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, " s"}, {1e9, " ms"}, {1e6, " us"}, {1e3, " ns"}, {1, " ps"}};
  for (const auto& [unit, name] : kUnits) {
    if (static_cast<double>(time) < unit && unit > 1) continue;
    std::ostringstream text;
    text.precision(6);
    text << static_cast<double>(time) / unit << name;
    return text.str();
  }
  return "0 ps";
}

std::string summary(const ThroughputReport& found, const Hardware& hardware,
                    const SimulateOptions& options, const std::string& name) {
  std::ostringstream rate;
  rate.precision(6);
  rate << found.samples_per_s << " samples/s";
  std::string text = name + ": " + rate.str() + "\n";
  text += summary_line("bound", std::string(bound_name(found.bound)) + ": " + found.bound_by);
  const std::string of = found.period_samples == 1
                             ? " a sample"
                             : " for " + std::to_string(found.period_samples) + " samples";
  text += summary_line(
      "period", duration_text(found.period) + of + (found.steady ? ", steady" : ", not steady"));
  text += summary_line("first", duration_text(found.first_sample));
  text += summary_line("makespan", duration_text(found.makespan) + " for " +
                                       std::to_string(found.samples) + " samples, " +
                                       std::to_string(found.simulated) + " simulated");
  text += summary_line("hardware", hardware.name + ", network " +
                                       std::string(network_name(options.network)) + ", routing " +
                                       std::string(routing_name(options.routing)));
  return text;
}

std::string links_csv(const ThroughputReport& found, const Hardware& hardware) {
  std::string text = "x,y,direction,bytes\n";
  const auto columns = static_cast<std::size_t>(hardware.wafer.width);
  for (std::size_t link = 0; link < found.link_bytes.size(); ++link) {
    if (found.link_bytes[link] == 0) continue;
    const std::size_t tile = link / 4;
    text += std::to_string(tile % columns) + "," + std::to_string(tile / columns) + "," +
            kDirectionNames[link % 4] + "," + std::to_string(found.link_bytes[link]) + "\n";
  }
  return text;
}

struct Outputs {
  std::optional<OutputFile> links;
  std::optional<PictureFile> heat_map;
};

Outputs outputs_of(const Arguments& arguments, const ReportTarget& target) {
  Outputs outputs;
  if (arguments.has("links")) outputs.links.emplace(arguments.text("links"));
  if (arguments.has("heatmap")) {
    outputs.heat_map = picture_file("--heatmap", arguments.text("heatmap"));
  }
  std::vector<const OutputFile*> files;
  if (target.file() != nullptr) files.push_back(target.file());
  if (outputs.links) files.push_back(&*outputs.links);
  if (outputs.heat_map) files.push_back(&outputs.heat_map->file);
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
  options.extrapolate = !arguments.has("no-extrapolation");
  options.stopped = [&common] { return is_cut(common); };
  return options;
}

}  // namespace

int simulate_placement(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const ReportTarget target(common);
  const Outputs outputs = outputs_of(arguments, target);
  SimulateOptions options = simulate_options(arguments);
  const bool training = arguments.has("training");
  Hardware hardware = read_hardware_option(arguments);
  Warnings warnings(common);
  const Problem problem = read_problem(problem_files(arguments), common, warnings);
  const std::string& path = arguments.text(arguments.has("SOL") ? "SOL" : "placement");
  const Judgement judgement = judge(problem, read_solution_file(path, common));
  if (!judgement.legal()) {
    throw Failure(FailureKind::check,
                  source_name(path) + ": illegal: " + judgement.violations.front().message);
  }
  add_dead_tiles(hardware, problem.wafer().dead);
  Progress progress(common);
  options.on_progress = [&](std::int64_t done) {
    progress.update("simulating, " + std::to_string(done) + " samples done",
                    source_name(arguments.text("CASE")));
  };
  ThroughputReport found;
  try {
    const PipelineSpec spec = contest_pipeline(problem, *judgement.placement, hardware, training);
    found = simulate(spec, hardware, options);
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input,
                  (arguments.has("hardware") ? arguments.text("hardware") : hardware.name) + ": " +
                      error.what());
  }
  progress.finish();
  throw_if_interrupted();
  throw_if_late(common);
  if (found.simulated == 0) throw Failure(FailureKind::internal, "no sample was done");
  if (outputs.links) outputs.links->write(links_csv(found, hardware));
  if (outputs.heat_map) {
    LinkHeatMap map;
    map.mesh = hardware.wafer;
    map.link_bytes = found.link_bytes;
    map.stages = rectangles(problem, *judgement.placement);
    map.title = file_names(arguments.list("CASE"));
    outputs.heat_map->file.write(draw_link_heat_map(map, outputs.heat_map->format));
  }
  Json report = report_json(found, hardware, options, training);
  report["warnings"] = warnings.texts();
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(summary(found, hardware, options, source_name(arguments.text("CASE"))));
  }
  return 0;
}

}  // namespace waferloom
