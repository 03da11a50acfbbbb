#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/commands/simulate/simulation_outputs.h"
#include "cli/console/failure.h"
#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/files/judged_files.h"
#include "cli/files/stage_files.h"
#include "cli/files/stage_pipeline.h"
#include "cli/files/workload_file.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/summary_lines.h"
#include "model/text.h"
#include "optimize/simulation_runs.h"
#include "sim/collective.h"
#include "sim/plan_run.h"
#include "sim/report_json.h"

namespace waferloom::cli {
namespace {

std::string number(double value) {
  constexpr int kDigits = 5;
  return significant_text(value, kDigits);
}

std::string rate_text(const sim::PlanReport& found) {
  return number(found.samples_per_s) + " samples/s";
}

std::string memory_text(const sim::PlannedPipeline& planned) {
  const auto& stages = planned.memory.stages;
  const auto most = std::max_element(
      stages.begin(), stages.end(),
      [](const sim::StageMemory& a, const sim::StageMemory& b) { return a.total() < b.total(); });
  const std::string fits = planned.memory.fits_all() ? "fits" : "does not fit";
  return fits +
         (planned.memory.home == sim::MemoryHome::unknown
              ? " (the hardware tells no sizes)"
              : " into " + std::string(sim::home_name(planned.memory.home))) +
         "; at most " + bytes_text(most->total(), Rounding::up) + " a stage, recompute " +
         std::string(recompute_name(planned.plan.recompute));
}

std::string plan_summary(const sim::PlanReport& found, const sim::PlannedPipeline& planned,
                         const Workload& workload, const sim::SimulationSubject& subject) {
  const Plan& plan = planned.plan;
  std::string text = workload.name + ": " + subject.rate;
  if (workload.tokens > 1) {
    text += ", " + number(found.samples_per_s * static_cast<double>(workload.tokens)) + " tokens/s";
  }
  text += "\n" + summary_line(
                     "plan", "TP" + std::to_string(plan.tensor) + " DP" +
                                 std::to_string(plan.data) + " PP" + std::to_string(plan.pipeline) +
                                 ", " + std::to_string(plan.micro_batches) + " micro-batches of " +
                                 std::to_string(plan.micro_batch) + ", " + schedule_text(plan));
  text += rate_line(found.steady);
  text += simulated_bound_line(found.run, subject.samples_each);
  text += busiest_line(found.run);
  text += summary_line("ideal", number(found.ideal_samples_per_s) +
                                    " samples/s if stages were equal and nothing moved");
  text +=
      summary_line("idle", number(100 * found.bubble) + " % of the tiles' time without computing");
  text += tiles_line(found.use);
  text += summary_line("batch", duration_text(found.batch));
  text += summary_line("memory", memory_text(planned));
  text += unrest_lines(found.run);
  return text + hardware_line(subject);
}

sim::PlanReport simulated(sim::PlannedPipeline& planned, const optimize::PlanSimulation& run,
                          const std::string& source, const Arguments& arguments) {
  try {
    return blaming(network_hardware_name(arguments), [&] {
      return optimize::simulate_planned(planned, run, search_control(arguments.common()));
    });
  } catch (const optimize::NoRoomForStages& error) {
    throw Failure(FailureKind::infeasible,
                  source + ": " + error.what() + "; --allow-infeasible simulates it all the same");
  }
}

std::vector<std::string> stage_files(const Arguments& arguments) {
  std::vector<std::string> inputs = workload_inputs(arguments);
  for (const char* option : {"placement", "routes"}) {
    for (const std::string& path : arguments.list(option)) inputs.push_back(path);
  }
  return inputs;
}

/// How the pipeline of a plan is simulated on that network.
StagePipelineOptions pipeline_options(const Arguments& arguments, sim::NetworkKind network) {
  StagePipelineOptions options;
  if (network == sim::NetworkKind::analytic) options.contention = sim::Contention::ignored;
  if (arguments.has("no-dram")) options.memory_model = sim::MemoryModel::ignored;
  return options;
}

/// The stages of a plan that cuts a network as over a rack of chips.
int simulate_stages(const Arguments& arguments, const PlanText& text, const Workload& workload) {
  const CommonOptions& common = arguments.common();
  SimulationOutputs outputs(arguments, stage_files(arguments));
  sim::SimulateOptions options = simulate_options(arguments);
  const PlanFile file = parse_plan(text);
  const Plan& plan = file.plan;
  const Hardware hardware = read_network_hardware_option(arguments);
  options.routing = plan_routing(arguments, plan, hardware);
  Warnings warnings(common);
  sim::PlannedPipeline planned = read_stage_pipeline(
      arguments, workload, file, hardware, pipeline_options(arguments, options.network), warnings);
  optimize::PlanSimulation run{hardware, options, arguments.has("allow-infeasible")};
  if (const std::string given = plan_routes_file(arguments, file); !given.empty()) {
    run.routes = [&, given](const Traffic& traffic) {
      return read_routes_of(traffic, hardware, given, common);
    };
  }
  run.listener = [&](const sim::PipelineSpec& spec, sim::SimulateOptions& heard) {
    outputs.listen(spec, heard, "micro-batch");
  };
  const sim::PlanReport found = simulated(planned, run, file.source, arguments);
  outputs.end(found.run, warnings);
  options.samples = plan.micro_batches;
  const sim::SimulationSubject subject{hardware,         options,        plan.trains(),
                                       rate_text(found), plan.samples(), found.samples_per_s,
                                       found.steady};
  Json report = sim::simulation_json(found.run, subject);
  report["plan"] = sim::plan_run_json(found, planned, workload, arguments.has("placement"));
  outputs.write(found.run, subject, planned.tiles, std::move(report),
                plan_summary(found, planned, workload, subject), warnings);
  return 0;
}

}  // namespace

int simulate_workload(const Arguments& arguments) {
  const Workload workload = read_workload_operand(arguments, "CASE");
  const PlanText text = read_plan_text(arguments);
  const auto way = wafer_plan_way(text.text);
  if (way == "resident") return simulate_resident_plan(arguments, text, workload);
  if (way == "streaming") return simulate_streaming_plan(arguments, text, workload);
  if (way == "pipeline") {
    throw Failure(FailureKind::input,
                  text.source +
                      ": a pipeline is simulated as a case: plan it with --case, place it, "
                      "and simulate CASE SOL");
  }
  if (arguments.has("inside")) {
    throw Failure(FailureKind::usage, "--inside: of plans that `plan --serve` wrote");
  }
  return simulate_stages(arguments, text, workload);
}

}  // namespace waferloom::cli
