#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
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
  job.known = known_workload(name);
  if (job.known) {
    job.name = name;
    job.work = planner::design_work(*job.known);
    if (choice.batch) throw Failure(FailureKind::usage, "--batch: " + name + " has its own");
    if (choice.forward) throw Failure(FailureKind::usage, "--forward: " + name + " has its own");
    return;
  }
  const Workload workload = read_planned_workload(name, "WORKLOAD", request.common);
  job.name = workload.name;
  try {
    std::visit([&](auto network) { job.work = std::move(network); },
               planner::chips_job(workload, choice.batch.value_or(planner::kSystemsBatch),
                                  !choice.forward));
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(name, error));
  }
}

planner::SystemsJob systems_job(const SystemsRequest& request) {
  planner::SystemsJob job;
  job.objective = request.choice.objective;
  job.quantity = request.choice.quantity.value_or(job.quantity);
  read_work(request, job);
  return job;
}

/// Where everything goes. Made before work begins.
struct SystemsOutputs {
  explicit SystemsOutputs(const SystemsRequest& request) : target(request.common) {
    std::vector<std::string> inputs;
    if (!known_workload(request.workload)) inputs = workload_files(request.workload);
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

int run_model_systems(const SystemsRequest& request) {
  const SystemsOutputs outputs(request);
  const planner::SystemsJob job = systems_job(request);
  const CommonOptions& common = request.common;
  try {
    rank_systems(job, outputs, common);
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
       .summary = "Put a workload onto 80 systems of 1,024 chips.",
       .usage = {"model systems WORKLOAD [--objective O] [--show Q] [options]"},
       .description =
           "DFModel's design space: 4 chips x 5 topologies x 2 memories x 2 links, 1,024 chips "
           "each. Every dimension of the chips' network serves tensor, pipeline or data "
           "parallelism, and the best plan counts. Layers of a transformer are sharded with the "
           "least communication and mapped onto a chip. DLRM, HPL and FFT are closed forms. Plans "
           "of one machine are ranked by `plan --way chips`: docs/design_space.md. Exit code 3 "
           "where nothing fits.",
       .idle = {"seed", "effort", "verbose", "quiet"},
       .examples = {"waferloom model systems gpt3-1t --heatmap use.svg --csv gpt3-1t.csv",
                    "waferloom model systems fft --show power --heatmap fft.svg",
                    "waferloom plan t_18b --way chips --hardware sn10_4x2 --top 5"}},
      {operand(
          &SystemsRequest::workload,
          {"WORKLOAD",
           "gpt3-175b, gpt3-1t, dlrm, hpl, fft, or a network (a preset or a JSON file; - reads "
           "stdin)."})},
      systems_command_options(), run_model_systems);
  return command;
}

}  // namespace waferloom::cli
