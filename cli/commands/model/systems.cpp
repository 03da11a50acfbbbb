#include <algorithm>
#include <cstdint>
#include <functional>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/options/search_control.h"
#include "cli/summaries/systems_summary.h"
#include "model/errors.h"
#include "model/text.h"
#include "planner/design_space.h"

namespace waferloom::cli {
namespace {

void refuse(const Arguments& arguments, const char* option, const std::string& why) {
  if (!arguments.has(option)) return;
  throw Failure(FailureKind::usage, std::string("--") + option + ": " + why);
}

bool is_known(const std::string& name) {
  return std::find(planner::kDesignWorkloadNames.begin(), planner::kDesignWorkloadNames.end(),
                   name) != planner::kDesignWorkloadNames.end();
}

void read_work(const Arguments& arguments, planner::SystemsJob& job) {
  const std::string& name = arguments.text("WORKLOAD");
  if (is_known(name)) {
    const auto found =
        std::find(planner::kDesignWorkloadNames.begin(), planner::kDesignWorkloadNames.end(), name);
    job.known = static_cast<planner::DesignWorkload>(found - planner::kDesignWorkloadNames.begin());
    job.name = name;
    job.work = planner::design_work(*job.known);
    for (const char* option : {"batch", "forward"}) {
      refuse(arguments, option, name + " has its own");
    }
    return;
  }
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  const auto batch = whole<double>(arguments, "batch");
  job.name = workload.name;
  try {
    job.work = planner::transformer_job(workload, batch, !arguments.has("forward"));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(name, error));
  }
}

planner::SystemsJob systems_job(const Arguments& arguments) {
  planner::SystemsJob job;
  job.objective = named<planner::Objective>(arguments, "objective", planner::kObjectiveNames);
  job.quantity = named<planner::SystemsQuantity>(arguments, "show", planner::kSystemsQuantityNames);
  job.execution = named<planner::ChipExecution>(arguments, "execution", planner::kExecutionNames);
  if (arguments.has("system")) {
    for (const char* option : {"show", "heatmap"}) {
      refuse(arguments, option, "of the 80 systems, not of --system");
    }
    job.system = read_system_option(arguments, "system");
    check_objective(job.objective, *job.system);
  } else {
    for (const char* option : {"execution", "top"}) refuse(arguments, option, "needs --system");
  }
  job.top = whole<std::size_t>(arguments, "top");
  read_work(arguments, job);
  return job;
}

/// Where everything goes. Made before work begins.
struct SystemsOutputs {
  explicit SystemsOutputs(const Arguments& arguments) : target(arguments.common()) {
    std::vector<std::string> inputs;
    if (!is_known(arguments.text("WORKLOAD"))) inputs = workload_files(arguments.text("WORKLOAD"));
    for (const std::string& file : system_files(arguments, "system")) inputs.push_back(file);
    std::vector<const OutputFile*> outputs;
    if (arguments.has("csv")) outputs.push_back(&csv.emplace(arguments.text("csv")));
    if (arguments.has("heatmap")) {
      picture = picture_file("--heatmap", arguments.text("heatmap"));
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

void rank_plans(const planner::SystemsJob& job, const planner::TransformerJob& network,
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

void tell_result(const planner::SystemsJob& job, const Arguments& arguments,
                 const SystemsOutputs& outputs) {
  for (const char* option : {"top", "csv", "execution"}) {
    refuse(arguments, option, job.name + " has no plans");
  }
  const planner::DesignResult result =
      planner::design_result(job.work, *job.system, job.execution, job.objective);
  if (!result.problem.empty()) {
    throw Failure(FailureKind::infeasible,
                  job.name + " on " + job.system->name + ": " + result.problem);
  }
  outputs.target.write(planner::result_report(job, result));
  if (!outputs.target.on_stdout()) write_stdout(result_summary(job, result));
}

int model_systems_main(const Arguments& arguments) {
  const SystemsOutputs outputs(arguments);
  const planner::SystemsJob job = systems_job(arguments);
  const CommonOptions& common = arguments.common();
  try {
    const auto* network = std::get_if<planner::TransformerJob>(&job.work);
    if (!job.system) {
      rank_systems(job, outputs, common);
    } else if (network != nullptr) {
      rank_plans(job, *network, outputs, common);
    } else {
      tell_result(job, arguments, outputs);
    }
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(job.name, error));
  }
  return 0;
}

}  // namespace

const Command& model_systems_command() {
  static const Command command{
      .name = "model systems",
      .summary = "Put a workload onto 80 systems, or rank its plans on one.",
      .usage = {"model systems WORKLOAD [--objective O] [--show Q] [options]",
                "model systems WORKLOAD --system S [--execution E] [options]"},
      .description =
          "DFModel's design space: 4 chips x 5 topologies x 2 memories x 2 links, 1,024 chips "
          "each. Of a transformer every dimension of the network serves tensor, pipeline or data "
          "parallelism; each layer is sharded with the least communication and mapped onto a chip, "
          "and the best plan counts. DLRM, HPL and FFT are closed forms. With --system the plans "
          "of one system are ranked: docs/design_space.md. Exit code 3 where nothing fits.",
      .operands = {{"WORKLOAD",
                    "gpt3-175b, gpt3-1t, dlrm, hpl, fft, or a network of equal transformer layers "
                    "(a preset or a JSON file; - reads stdin)."}},
      .options = inserted_behind(
          planner::systems_options(), "show",
          {{"heatmap", '\0', "FILE", "Draw it over all systems: .svg, .png or .pdf."},
           {"csv", '\0', "FILE", "Write the table as CSV."}}),
      .idle = {"seed", "effort", "verbose", "quiet"},
      .examples = {"waferloom model systems gpt3-1t --heatmap use.svg --csv gpt3-1t.csv",
                   "waferloom model systems fft --show power --heatmap fft.svg",
                   "waferloom model systems t_18b --system sn10_4x2 --batch 64 --top 5"},
      .run = model_systems_main};
  return command;
}

}  // namespace waferloom::cli
