#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/systems_summary.h"
#include "model/errors.h"
#include "model/text.h"
#include "planner/design_space.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct SystemsRequest {
  CommonOptions common;
  std::string workload;
  planner::SystemsChoice choice;
  std::optional<std::string> heatmap;
  std::optional<std::string> csv;
};

void refuse(const std::vector<GivenOption>& options, const std::string& why) {
  for (const auto& [option, is_given] : options) {
    if (is_given) throw Failure(FailureKind::usage, std::string("--") + option + ": " + why);
  }
}

/// Those that the paper has closed forms of, and presets are graphs of. Transforms and equations
/// have nothing to train.
struct GraphOfPaper {
  std::string_view name;
  double batch;
  bool trains;
};
constexpr GraphOfPaper kGraphs[] = {
    {"dlrm", planner::DlrmWorkload{}.batch, true}, {"hpl", 1, false}, {"fft", 1, false}};

/// Null: none of them.
const GraphOfPaper* graph_of_paper(const std::string& name) {
  const auto* at = std::find_if(std::begin(kGraphs), std::end(kGraphs),
                                [&](const GraphOfPaper& graph) { return graph.name == name; });
  return at != std::end(kGraphs) ? at : nullptr;
}

/// One of the paper's workloads.
std::optional<planner::DesignWorkload> known_workload(const std::string& name) {
  const auto& names = planner::kDesignWorkloadNames;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<planner::DesignWorkload>(at - names.begin());
}

void read_work(const SystemsRequest& request, planner::SystemsJob& job) {
  const std::string& name = request.workload;
  const planner::SystemsChoice& choice = request.choice;
  // Closed forms are of the 80 systems; one system is planned.
  const GraphOfPaper* graph = graph_of_paper(name);
  job.known = job.system && graph != nullptr ? std::nullopt : known_workload(name);
  if (job.known) {
    job.name = name;
    job.work = planner::design_work(*job.known);
    refuse({{"batch", choice.batch.has_value()}, {"forward", choice.forward}},
           name + " has its own");
    return;
  }
  const Workload workload = read_planned_workload(name, "WORKLOAD", request.common);
  job.name = workload.name;
  const GraphOfPaper usual =
      graph != nullptr ? *graph : GraphOfPaper{name, planner::kSystemsBatch, true};
  try {
    std::visit([&](auto network) { job.work = std::move(network); },
               planner::chips_job(workload, choice.batch.value_or(usual.batch),
                                  usual.trains && !choice.forward));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(name, error));
  }
}

planner::SystemsJob systems_job(const SystemsRequest& request) {
  const planner::SystemsChoice& choice = request.choice;
  planner::SystemsJob job;
  job.objective = choice.objective;
  job.quantity = choice.quantity.value_or(job.quantity);
  job.execution = choice.execution.value_or(job.execution);
  job.top = choice.top.value_or(job.top);
  if (choice.machine.name) {
    refuse({{"show", choice.quantity.has_value()}, {"heatmap", request.heatmap.has_value()}},
           "of the 80 systems, not of --hardware");
    job.system = read_chips(choice.machine, request.common);
    check_objective(job.objective, *job.system);
  } else {
    refuse({{"execution", choice.execution.has_value()}, {"top", choice.top.has_value()}},
           "needs --hardware");
  }
  read_work(request, job);
  return job;
}

/// Where everything goes. Made before work begins.
struct SystemsOutputs {
  explicit SystemsOutputs(const SystemsRequest& request) : target(request.common) {
    std::vector<std::string> inputs;
    if (!known_workload(request.workload)) inputs = workload_files(request.workload);
    for (const std::string& file : machine_inputs(request.choice.machine)) inputs.push_back(file);
    std::vector<const OutputFile*> outputs;
    if (request.csv) outputs.push_back(&csv.emplace(*request.csv));
    if (request.heatmap) {
      picture = picture_file("--heatmap", *request.heatmap);
      outputs.push_back(&picture->file);
    }
    if (target.file() != nullptr) outputs.push_back(target.file());
    check_one_stdin(inputs);
    check_distinct(outputs, inputs);
  }
  ReportTarget target;
  std::optional<OutputFile> csv;
  std::optional<PictureFile> picture;
};

void rank_systems(const planner::SystemsJob& job, const SystemsOutputs& outputs,
                  const CommonOptions& common) {
  const std::vector<planner::DesignResult> results =
      planner::design_sweep(job.work, job.objective, common.threads, run_control(common));
  run_control(common).end_if_cut();
  const bool is_possible = std::any_of(results.begin(), results.end(),
                                       [](const auto& result) { return result.problem.empty(); });
  if (!is_possible) {
    throw Failure(FailureKind::infeasible, job.name + ": " + results.front().problem);
  }
  if (outputs.csv) outputs.csv->write(design_table(results).csv());
  if (outputs.picture) {
    outputs.picture->file.write(
        viz::draw_table_heat_map(design_heat_map(job, results), outputs.picture->format));
  }
  outputs.target.write(planner::design_report(job, results));
  if (!outputs.target.on_stdout()) write_stdout(design_summary(job, results));
}

template <typename Network>
void rank_plans(const planner::SystemsJob& job, const Network& network,
                const SystemsOutputs& outputs, const CommonOptions& common) {
  planner::SystemPlanOptions options;
  options.execution = job.execution;
  options.threads = common.threads;
  options.control = run_control(common);
  const std::vector<planner::SystemPlan> plans =
      planner::ranked_system_plans(network, *job.system, options, job.objective);
  options.control.end_if_cut();
  if (!plans.front().is_possible()) {
    throw Failure(FailureKind::infeasible,
                  job.name + " on " + job.system->name +
                      ": no plan is possible; the first: " + plans.front().problem);
  }
  if (outputs.csv) outputs.csv->write(plans_table(plans, job.top).csv());
  outputs.target.write(planner::plans_report(job, plans));
  if (!outputs.target.on_stdout()) write_stdout(plans_summary(job, plans));
}

int run_model_systems(const SystemsRequest& request) {
  const SystemsOutputs outputs(request);
  const planner::SystemsJob job = systems_job(request);
  const CommonOptions& common = request.common;
  try {
    const auto* layers = std::get_if<planner::TransformerJob>(&job.work);
    if (!job.system) {
      rank_systems(job, outputs, common);
    } else if (layers != nullptr) {
      rank_plans(job, *layers, outputs, common);
    } else {
      rank_plans(job, std::get<planner::NetworkJob>(job.work), outputs, common);
    }
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(job.name, error));
  }
  return 0;
}

/// Those of files stand behind that of what a picture shows.
Options<SystemsRequest> systems_command_options() {
  return options_behind<SystemsRequest>(
      options_inside(&SystemsRequest::choice, planner::systems_options()), "show",
      {option(&SystemsRequest::heatmap,
              {"heatmap", '\0', "FILE", "Draw it over all systems: .svg, .png or .pdf."}),
       option(&SystemsRequest::csv, {"csv", '\0', "FILE", "Write the table as CSV."})});
}

}  // namespace

const Command& model_systems_command() {
  static const Command command = command_of<SystemsRequest>(
      {.name = "model systems",
       .summary = "Put a workload onto 80 systems, or rank its plans on one.",
       .usage = {"model systems WORKLOAD [--objective O] [--show Q] [options]",
                 "model systems WORKLOAD --hardware M [--execution E] [options]"},
       .description =
           "DFModel's design space: 4 chips x 5 topologies x 2 memories x 2 links, 1,024 chips "
           "each. Every dimension of the chips' network serves tensor, pipeline or data "
           "parallelism, and the best plan counts. Layers of a transformer are sharded with the "
           "least communication and mapped onto a chip. DLRM, HPL and FFT are closed forms. With "
           "--hardware the plans of one system are ranked, of these three as graphs: "
           "docs/design_space.md. Exit code 3 where nothing fits.",
       .idle = {"seed", "effort", "verbose", "quiet"},
       .examples = {"waferloom model systems gpt3-1t --heatmap use.svg --csv gpt3-1t.csv",
                    "waferloom model systems fft --show power --heatmap fft.svg",
                    "waferloom model systems t_18b --hardware sn10_4x2 --batch 64 --top 5"}},
      {operand(
          &SystemsRequest::workload,
          {"WORKLOAD",
           "gpt3-175b, gpt3-1t, dlrm, hpl, fft, or a network (a preset or a JSON file; - reads "
           "stdin)."})},
      systems_command_options(), run_model_systems);
  return command;
}

}  // namespace waferloom::cli
