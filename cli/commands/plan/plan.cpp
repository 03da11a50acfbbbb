#include "model/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/commands/plan/plan_system.h"
#include "cli/commands/plan/plan_wafer.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/output_file.h"
#include "cli/files/preset_file.h"
#include "cli/files/stage_files.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/options/simulation_options.h"
#include "cli/summaries/plan_summary.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "optimize/plan.h"
#include "optimize/report_json.h"
#include "planner/design_space.h"
#include "planner/tile_operators.h"
#include "sim/simulate.h"

namespace waferloom::cli {
namespace {

optimize::PlanJob job_of(const PlanRequest& request) {
  const optimize::CutRequest& cut = request.cut;
  optimize::PlanJob job{.model = cut.model, .objective = cut.objective};
  if (cut.top) job.top = *cut.top;
  job.places = request.placement.has_value();
  job.strategy = cut.strategy;
  return job;
}

planner::PlanSpace space_of(const optimize::CutRequest& cut, const Workload& workload,
                            const Hardware& hardware) {
  Plan base;
  if (cut.inference) base.schedule = Schedule::inference;
  base.data_type = cut.data_type;
  base.optimizer = cut.optimizer;
  base.reuse = cut.reuse;
  base.routing = plan_routing(cut.run, base, hardware);
  return planner::plan_space_of(workload, hardware, std::move(base), cut.batch);
}

sim::SimulateOptions run_options(const PlanRequest& request) {
  sim::SimulateOptions options = simulate_options(request.cut.run, request.common);
  if (request.cut.top) options.top = *request.cut.top;
  return options;
}

std::string placement_text(const optimize::PlanTrial& trial, const Hardware& hardware) {
  StagePlacement placement{{}, hardware.name};
  for (std::size_t i = 0; i < trial.tiles.size(); ++i) {
    placement.stages.push_back({fmt::format("s{}", i), trial.tiles[i], false});
  }
  return stage_placement_text(placement);
}

/// Options that say how a network is cut: with them it is, whatever the hardware.
constexpr std::string_view kCutOptions[] = {
    "model", "objective", "top", "placement", "strategy", "network", "routing", "no-dram", "reuse"};

/// Whether all ways are asked for, by name, by a purpose, or since no PLAN is; or none, and the
/// hardware has more than one. Where nothing is known of its programs, training is cut: no other
/// way of it was held against such a machine.
bool takes_all_ways(const PlanRequest& request, const Machine& machine, bool has_output) {
  if (request.way) return *request.way == PlanWay::all;
  const bool is_cut =
      std::any_of(std::begin(kCutOptions), std::end(kCutOptions),
                  [&](std::string_view option) { return request.common.has(std::string(option)); });
  if (is_cut) return false;
  if (request.purpose || !has_output) return true;
  return machine.fabric && planner::is_wafer_of_tiles(*machine.fabric) &&
         (planner::knows_programs(*machine.fabric) || request.cut.inference);
}

/// The request with what its purpose says of the cut. Throws Failure where another option says
/// otherwise.
PlanRequest with_purpose(PlanRequest request) {
  if (!request.purpose) return request;
  const bool infers = *request.purpose == optimize::Purpose::infer;
  if (request.cut.inference && !infers) {
    throw Failure(
        FailureKind::usage,
        "--inference: --for " +
            std::string(optimize::kPurposeNames[static_cast<std::size_t>(*request.purpose)]) +
            " says otherwise");
  }
  request.cut.inference = infers;
  return request;
}

optimize::WaysJob ways_job(const PlanRequest& request, const Machine& machine, Workload workload) {
  optimize::WaysJob job;
  job.workload = std::move(workload);
  job.machine = machine;
  job.purpose = request.cut.inference ? optimize::Purpose::infer : optimize::Purpose::train;
  if (request.purpose) job.purpose = *request.purpose;
  job.data_type = request.cut.data_type;
  job.batch = request.cut.batch;
  job.serving = request.serving;
  job.threads = request.common.threads;
  if (machine.fabric) job.cut = space_of(request.cut, job.workload, *machine.fabric);
  job.options = run_options(request);
  return job;
}

/// Cuts a network as over a rack of chips.
int plan_cut(const PlanRequest& request, const Workload& workload, const Hardware& hardware,
             const OutputFile& output, const OutputFile* placement, const ReportTarget& target) {
  const CommonOptions& common = request.common;
  const optimize::PlanJob job = job_of(request);
  const planner::PlanSpace space = space_of(request.cut, workload, hardware);
  if (const auto lack = optimize::plan_lack(job, space, hardware)) {
    throw Failure(FailureKind::usage, "--" + lack->option + ": " + lack->message);
  }
  const Warnings warnings(common);
  Progress progress(common, true);
  const sim::SimulateOptions options = run_options(request);
  const optimize::PlanGround ground{workload, hardware, options, request.cut.memory_model};
  optimize::PlanFindings found;
  try {
    found = optimize::plan_network(job, ground, space, search_control(common, progress));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input,
                  blamed(request.hardware.name_or(sim::kNetworkHardware), error));
  }
  progress.finish();
  output.write(plan_text(found.plan));
  if (placement != nullptr) placement->write(placement_text(found.winner().trial, hardware));
  target.write(optimize::planned_report(found, job, ground, space, search_control(common),
                                        warnings.texts()));
  if (!target.on_stdout()) write_stdout(plan_summary(found, job, ground, output.path()));
  return exit_code_with_best(progress);
}

/// Without --serve, and neither a pipeline nor streaming.
int plan_ways_or_cut(const PlanRequest& asked, const OutputFile* output,
                     const ReportTarget& target) {
  const PlanRequest request = with_purpose(asked);
  std::optional<OutputFile> placement;
  std::vector<const OutputFile*> outputs{output};
  if (request.placement) outputs.push_back(&placement.emplace(*request.placement));
  check_plan_files(request, outputs, target);
  const auto demand_output = [&] {
    if (output != nullptr) return;
    throw Failure(FailureKind::usage, "expected -o PLAN; for example `waferloom plan " +
                                          request.workload +
                                          " --hardware palm_wafer -o plan.json`");
  };
  const CommonOptions& common = request.common;
  const Machine machine = read_machine_asked(request.hardware, sim::kNetworkHardware, common);
  const bool all_ways = takes_all_ways(request, machine, output != nullptr);
  if (request.way == PlanWay::chips || (!machine.fabric && !request.way && !all_ways)) {
    if (!request.way) demand_output();
    return plan_for_chips(request, machine, output, target);
  }
  const Workload workload = read_planned_workload(request.workload, "WORKLOAD", common);
  if (all_ways) {
    // What is an upper bound is no reason to leave the plan out that can be simulated.
    const bool unless_cut = output != nullptr && !request.way && !request.purpose &&
                            machine.fabric && !planner::knows_programs(*machine.fabric);
    const optimize::WaysJob job = ways_job(request, machine, workload);
    if (const auto done = plan_all_ways(job, unless_cut, common, output, target)) return *done;
  }
  const Hardware& hardware = fabric_of(machine);
  demand_output();
  return plan_cut(request, workload, hardware, *output, placement ? &*placement : nullptr, target);
}

int run_plan(const PlanRequest& request) {
  if (request.purpose == optimize::Purpose::serve && request.way && request.way != PlanWay::all) {
    throw Failure(FailureKind::usage,
                  "--way: --for serve plans all ways that serve; --serve plans resident weights");
  }
  std::optional<OutputFile> plan;
  if (request.file) plan.emplace(*request.file);
  const auto run = request.serve                       ? plan_serving
                   : request.way == PlanWay::pipeline  ? plan_pipeline
                   : request.way == PlanWay::streaming ? plan_streaming
                                                       : plan_ways_or_cut;
  return run(request, plan ? &*plan : nullptr, ReportTarget(request.common));
}

/// Whether that way is asked for.
bool takes_way(const ArgumentValues& values, std::string_view name) {
  const auto way = values.find("way");
  return way != values.end() && way->second.front() == name;
}

Option<PlanRequest> way_row() {
  return option(&PlanRequest::way,
                {.name = "way",
                 .value = "NAME",
                 .help = "How a machine is used: {choices} (default all with --for, without "
                         "PLAN, and on a mesh of tiles without DRAM of their own; elsewhere "
                         "and with options that are of it alone cut, of chips that no "
                         "simulation knows chips).",
                 .choices = {{"all", "side by side"},
                             {"cut", "as a rack of chips"},
                             {"pipeline", "stages on rectangles that keep their weights"},
                             {"streaming", "weights through the ports"},
                             {"chips", "by its chips alone, as DFModel prices them"}},
                 .modes = {"--for serve", "--way all", "--way pipeline", "--way streaming",
                           "--way chips", "WORKLOAD"}});
}

Option<PlanRequest> execution_row() {
  OptionSpec spec = planner::execution_option();
  spec.modes = {"--way chips"};
  return option(&PlanRequest::execution, std::move(spec));
}

bool is_for_serving(const ArgumentValues& values) {
  const auto purpose = values.find("for");
  return purpose != values.end() && purpose->second.front() == "serve";
}

Option<PlanRequest> purpose_row() {
  return option(
      &PlanRequest::purpose,
      {.name = "for",
       .value = "NAME",
       .help = "What the network is planned for, in all ways of the machine: {choices}. "
               "A pipeline goes forward alone unless it is to train.",
       .choices = {{"train", "batches"},
                   {"infer", "samples or prompts, forward alone"},
                   {"serve", "requests: prompts and the tokens that follow"}},
       .modes = {"--for serve", "--way all", "--way chips", "--way pipeline", "WORKLOAD"}});
}

Options<PlanRequest> plan_rows() {
  using Request = PlanRequest;
  return joined_options<Request>(
      {{option(&Request::file, {"file", 'o', "PLAN", "Where to write the plan."})},
       machine_rows(&Request::hardware,
                    with_help(sim::hardware_option(),
                              sim::hardware_help({{sim::kNetworkHardware, "default"}}))),
       in_modes(options_behind(options_inside(&Request::cut, optimize::plan_options()), "top",
                               {option(&Request::placement,
                                       {"placement", '\0', "FILE",
                                        "Also place the stages of the best plans, and write where "
                                        "the winner's lie."})}),
                {{{"WORKLOAD"}, {std::begin(kCutOptions), std::end(kCutOptions)}},
                 {{"--way chips", "WORKLOAD"}, {"objective", "top"}},
                 {{"--way all", "--way chips", "--way pipeline", "WORKLOAD"}, {"batch"}},
                 {{"--way all", "--way pipeline", "WORKLOAD"}, {"optimizer"}},
                 {{"--way all", "--way chips", "--way streaming", "WORKLOAD"}, {"inference"}}}),
       {purpose_row(), way_row(), execution_row()},
       plan_serving_options(),
       plan_pipeline_options(),
       plan_streaming_options()});
}

}  // namespace

void check_plan_files(const PlanRequest& request, std::vector<const OutputFile*> outputs,
                      const ReportTarget& target) {
  outputs.push_back(target.file());
  std::erase(outputs, nullptr);
  std::vector<std::string> inputs = workload_files(request.workload);
  for (const std::string& file : machine_inputs(request.hardware)) inputs.push_back(file);
  check_one_stdin(inputs);
  check_distinct(outputs, inputs);
}

const Command& plan_command() {
  static const Command command = command_of<PlanRequest>(
      {.name = "plan",
       .summary = "Choose how a network is cut and mapped before it is placed.",
       .usage = {"plan WORKLOAD -o PLAN [--hardware NAME|FILE] [options]",
                 "plan WORKLOAD --serve --hardware NAME|FILE [-o PLAN] [options]",
                 "plan WORKLOAD --for train|infer|serve [-o PLAN] [options]",
                 "plan WORKLOAD --way all|pipeline|streaming|chips [options]"},
       .description =
           "Enumerates tensor, data and pipeline degrees and micro-batches, estimates those that "
           "may "
           "be among the best with links, ports and memory (PALM), simulates the best few, and "
           "ranks "
           "them again by what the simulation saw. DFModel, which maps the kernels of a layer onto "
           "tiles with proof of the optimum, and AMPeD price them beside it. optimize goes on "
           "where "
           "plan ends.\n\n"
           "PLAN is read by place and simulate. Prints the rate of the best plans by each model "
           "and in simulation, and where the time of the best plan's batch goes by each. "
           "docs/planner.md.\n\n"
           "With --serve the weights of a language model stay in the memories of a wafer's tiles. "
           "Its layers lie over equal regions, whose size is searched for prefill and decode. "
           "Prints the time to the first token, the rate of a request and of many, memory, and "
           "which measurements back it.\n\n"
           "With --way pipeline consecutive operators are stages on rectangles of tiles that keep "
           "their weights, for the most samples a second; place, route and simulate take PLAN, and "
           "--case writes the stages as a case. With --for train batches go forward and backward "
           "through them. With --way streaming a language model trains, or "
           "goes forward with "
           "--inference, and its weights come through the host ports, layer by layer: the best "
           "batch, planned and simulated.\n\n"
           "With --for, without PLAN, and on a mesh of tiles without DRAM of their own, all ways "
           "are planned, and set side by side; PLAN is of the fastest whose plan is whole. Where "
           "such a mesh has no programs they are upper bounds, and what a cut does best is cut. "
           "docs/wafer_plans.md.",
       .modes = {{"--serve", plans_serving},
                 {"--for serve", is_for_serving},
                 {"--way pipeline",
                  [](const ArgumentValues& values) { return takes_way(values, "pipeline"); }},
                 {"--way streaming",
                  [](const ArgumentValues& values) { return takes_way(values, "streaming"); }},
                 {"--way chips",
                  [](const ArgumentValues& values) { return takes_way(values, "chips"); }},
                 {"--way all",
                  [](const ArgumentValues& values) { return takes_way(values, "all"); }},
                 {"WORKLOAD", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom plan T-76B --hardware palm_wafer -o plan.json",
                    "waferloom plan T-18B --way chips --hardware sn10_8x1 -o plan.json",
                    "waferloom plan T-18B -o plan.json --placement stages.json",
                    "waferloom plan llama3_8b --inference --hardware wse2",
                    "waferloom plan llama3_8b --for serve --hardware sn40l_16",
                    "waferloom plan llama3_8b --serve --requests 4 --hardware wse2",
                    "waferloom plan resnet50 --way pipeline --hardware wse2 --case r.kgraph",
                    "waferloom plan bert_base --way pipeline --for train --hardware wse2",
                    "waferloom plan gpt3_175b --way streaming --hardware wse2",
                    "waferloom plan llama3_70b --way streaming --inference --hardware wse2",
                    "waferloom simulate T-18B --plan plan.json --hardware palm_wafer"}},
      {operand(&PlanRequest::workload,
               {"WORKLOAD", "A preset (waferloom workload lists them) or a JSON file."})},
      plan_rows(), run_plan);
  return command;
}

}  // namespace waferloom::cli
