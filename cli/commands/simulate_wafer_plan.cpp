#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/summary_lines.h"
#include "cli/summaries/wafer_summary.h"
#include "model/errors.h"
#include "model/hardware_reader.h"
#include "model/number_text.h"
#include "model/text_scan.h"
#include "planner/tile_operators.h"
#include "planner/wafer_serving.h"
#include "planner/wafer_streaming.h"
#include "sim/inside.h"
#include "sim/resident_run.h"
#include "sim/streaming_report.h"
#include "sim/streaming_run.h"

namespace waferloom::cli {
namespace {

/// The widest product of a layer, on at most 32×32 tiles with as large blocks: its closed form and
/// its words moved one by one, both if programs cost nothing.
struct InsideCheck {
  double closed_form = 0;
  std::int64_t moved = 0;
};

InsideCheck check_inside(const ResidentPlan& plan, const Workload& workload,
                         const Hardware& hardware, const RunControl& control) {
  constexpr std::int64_t kSide = 32;
  const auto [hidden, wide] = planner::widest_product(workload);
  const auto block = [](std::int64_t extent, std::int64_t tiles) {
    return (extent + tiles - 1) / tiles;
  };
  TileJob job;
  job.kind = TileOperatorKind::gemv;
  job.tiles = {std::min(kSide, plan.region_rows), std::min(kSide, plan.region_columns)};
  job.extents.m = block(hidden, plan.region_rows) * job.tiles.rows;
  job.extents.n = block(wide, plan.region_columns) * job.tiles.columns;
  job.algorithm = "two-way chain";
  const TileFabric bare = planner::tile_fabric(hardware, plan.data_type).without_program();
  const auto moved = sim::inside_cycles(job, *job.algorithm, bare, control);
  if (!moved) throw RunCut(control.cut_reason());
  return {tile_choices(job, bare).front().cost.parts.total(), *moved};
}

/// The hardware of a plan: a preset by its name, or what --hardware says.
Hardware planned_hardware(const Arguments& arguments, const std::string& name) {
  if (arguments.has("hardware")) return read_network_hardware_option(arguments);
  const auto preset = hardware_preset(name);
  if (!preset) {
    throw Failure(FailureKind::usage, "expected --hardware FILE: the plan is for " +
                                          in_quotes(name) + ", which is no preset");
  }
  return read_hardware(*preset, name);
}

std::string pass_summary(const ResidentPlan& plan, const ResidentPass& pass,
                         const sim::ResidentTimes& times, double clock) {
  const double simulated = static_cast<double>(times.pass_cycles) / clock;
  std::string text = plan.workload + " on " + plan.hardware + ": " +
                     significant_text(1 / simulated) + " tokens/s for each of " +
                     std::to_string(plan.requests) +
                     (plan.requests == 1 ? " request" : " requests") + " while it decodes\n";
  text += bound_line(sim::resident_bottleneck(pass, times, clock));
  text += summary_line("a token", seconds_text(simulated) + " in simulation, " +
                                      seconds_text(plan.tpot_s) + " as planned, " +
                                      percent_text(simulated / plan.tpot_s - 1, 1));
  text += summary_line("regions", std::to_string(pass.regions.size()) + ", passed by " +
                                      std::to_string(pass.groups) +
                                      (pass.groups == 1 ? " group" : " groups") + " of requests");
  text += summary_line("moves", std::to_string(times.move_cycles) + " of " +
                                    std::to_string(times.first_cycles) +
                                    " cycles of the first token, between regions");
  return text + summary_line("links", "at most " + std::to_string(times.busiest_link_words) +
                                          " words a pass over a link between regions");
}

std::string step_summary(const StreamingPlan& plan, const sim::StreamingTimes& times,
                         const std::optional<Bottleneck>& bottleneck, double clock) {
  const double simulated = times.step_cycles / clock;
  std::string text = plan.workload + (plan.trains ? " trains on " : " runs forward on ") +
                     plan.hardware + ": a step takes " + seconds_text(simulated) + "\n";
  text += bound_line(bottleneck);
  text += summary_line("planned", seconds_text(plan.step_s) + ", simulated " +
                                      percent_text(simulated / plan.step_s - 1, 1));
  const std::string backward =
      plan.trains ? ", " + seconds_text(times.backward_layer_cycles / clock) + " backward" : "";
  text += summary_line("a layer", seconds_text(times.forward_layer_cycles / clock) + " forward" +
                                      backward + ", once settled");
  return text + summary_line("simulated", std::to_string(times.messages) +
                                              " messages of a few layers, the others repeat them; "
                                              "blocks of " +
                                              std::to_string(times.block_side) + "x" +
                                              std::to_string(times.block_side) + " tiles");
}

/// Options of other plans that say nothing here.
void refuse_options(const Arguments& arguments) {
  for (const char* option : {"placement", "routing", "routes", "links", "heatmap", "timeline",
                             "trace", "top", "no-extrapolation", "allow-infeasible", "no-dram"}) {
    if (!arguments.has(option)) continue;
    throw Failure(FailureKind::usage,
                  "--" + std::string(option) + ": not of a plan of a whole wafer");
  }
}

}  // namespace

int simulate_resident_plan(const Arguments& arguments, const PlanText& text,
                           const Workload& workload) {
  refuse_options(arguments);
  const CommonOptions& common = arguments.common();
  const ReportTarget target(common);
  Progress progress(common, true);
  const RunControl control = run_control(common, progress);
  const ResidentPlan plan = read_resident_plan(text.text, text.source);
  const Hardware hardware = planned_hardware(arguments, plan.hardware);
  ResidentPass pass;
  sim::ResidentTimes times;
  try {
    pass = planner::resident_pass(plan, workload, hardware);
    control.tell("simulating a pass", workload.name);
    times = sim::run_resident_pass(pass, parse_network(arguments), control);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, text.source + ": " + error.what());
  } catch (const InfeasibleError& error) {
    throw InfeasibleError(text.source + ": " + error.what());
  }
  if (times.stopped) throw RunCut(control.cut_reason());
  progress.finish();
  const auto clock = static_cast<double>(hardware.clock_hz);
  Json report = new_report("wafer_run");
  report["way"] = "resident";
  report["workload"] = plan.workload;
  report["hardware"] = hardware.name;
  report["network"] = arguments.text_or_default("network");
  report["requests"] = plan.requests;
  report["bottleneck"] = bottleneck_json(sim::resident_bottleneck(pass, times, clock));
  report["planned"] = {{"tpot_s", plan.tpot_s}};
  report["simulated"] = {{"tpot_s", static_cast<double>(times.pass_cycles) / clock},
                         {"pass_cycles", times.pass_cycles},
                         {"first_cycles", times.first_cycles},
                         {"move_cycles", times.move_cycles},
                         {"busiest_link_words", times.busiest_link_words},
                         {"events", times.events}};
  std::string summary = pass_summary(plan, pass, times, clock);
  if (arguments.has("inside")) {
    const InsideCheck inside = check_inside(plan, workload, hardware, control);
    report["inside"] = {{"closed_form", inside.closed_form}, {"moved", inside.moved}};
    summary += summary_line(
        "inside", "a layer's widest product on at most 32x32 tiles: " +
                      fixed_text(inside.closed_form, 0) + " cycles in closed form, " +
                      std::to_string(inside.moved) + " moving its words, programs left out");
  }
  const auto trust = planner::resident_trust(plan, workload, hardware);
  report["trust"] = planner::trust_json(trust);
  target.write(report);
  if (!target.on_stdout()) write_stdout(summary + "\nWhat backs it\n" + trust_lines(trust));
  return 0;
}

int simulate_streaming_plan(const Arguments& arguments, const PlanText& text,
                            const Workload& workload) {
  refuse_options(arguments);
  if (arguments.has("inside")) {
    throw Failure(FailureKind::usage, "--inside: of plans that `plan --serve` wrote");
  }
  const ReportTarget target(arguments.common());
  Progress progress(arguments.common(), true);
  const RunControl control = run_control(arguments.common(), progress);
  const StreamingPlan plan = read_streaming_plan(text.text, text.source);
  const Hardware hardware = planned_hardware(arguments, plan.hardware);
  StreamingStep step;
  sim::StreamingTimes times;
  try {
    if (workload.name != plan.workload) {
      throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
    }
    step = planner::streaming_step(plan, hardware);
    control.tell("simulating a step", workload.name);
    times = sim::run_streaming_step(step, parse_network(arguments), control);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, text.source + ": " + error.what());
  } catch (const InfeasibleError& error) {
    throw InfeasibleError(text.source + ": " + error.what());
  }
  if (times.stopped) throw RunCut(control.cut_reason());
  progress.finish();
  const auto clock = static_cast<double>(hardware.clock_hz);
  Json report = new_report("wafer_run");
  report["way"] = "streaming";
  report["trains"] = plan.trains;
  report["workload"] = plan.workload;
  report["hardware"] = hardware.name;
  report["network"] = arguments.text_or_default("network");
  const auto bottleneck = streaming_bottleneck(step, clock);
  report["bottleneck"] = bottleneck_json(bottleneck);
  report["planned"] = {{"step_s", plan.step_s}};
  report["simulated"] = sim::streaming_times_json(times, clock);
  const auto trust = planner::streaming_trust(hardware, plan.data_type, plan.trains);
  report["trust"] = planner::trust_json(trust);
  target.write(report);
  if (!target.on_stdout()) {
    write_stdout(step_summary(plan, times, bottleneck, clock) + "\nWhat backs it\n" +
                 trust_lines(trust));
  }
  return 0;
}

}  // namespace waferloom::cli
