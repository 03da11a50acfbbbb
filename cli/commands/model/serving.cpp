#include "planner/serving.h"

#include <fmt/format.h>

#include <optional>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/files/preset_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/serving_summary.h"
#include "model/errors.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct ServingRequest {
  CommonOptions common;
  std::string workload;
  planner::ServingChoice serving;
  std::optional<std::string> csv;
};

/// Of the chip, what serving and the study of areas model.
std::vector<std::string_view> read_keys(bool wants_areas) {
  std::vector<std::string_view> keys{"flop_per_s", "efficiency", "sram_bytes", "sram_bytes_per_s",
                                     "matrix_bits"};
  if (wants_areas) keys.emplace_back("cores");
  return keys;
}

constexpr double kBitsOfByte = 8;

std::optional<planner::Draft> draft_of(const ServingRequest& request) {
  if (!request.serving.draft) return std::nullopt;
  planner::Draft draft;
  draft.speculation = request.serving.speculation;
  const PresetKind kind{workload_preset, workload_preset_names,
                        "--draft: expected a preset or a file",
                        "; `waferloom workload` lists the presets"};
  const NamedText found = read_preset_or_file(*request.serving.draft, kind, request.common);
  draft.model = planner::served_model(expand(read_network_text(found, request.common)));
  return draft;
}

void check_fits(const planner::ServingJob& job, const planner::ServingFindings& found) {
  for (const planner::ServingPoint& point : found.points) {
    if (point.lacks.empty()) return;
  }
  if (found.points.empty()) {
    throw Failure(FailureKind::infeasible,
                  fmt::format("{}: its {} layers of {} heads cannot be shared by {} chips of {}",
                              job.model.name, job.model.layers, job.model.layer.heads,
                              job.system.chips(), job.system.name));
  }
  throw Failure(
      FailureKind::infeasible,
      fmt::format("{} does not fit {}: {} with a tensor group of {}", job.model.name,
                  job.system.name, found.points.front().lacks, found.points.front().tensor));
}

int run_model_serving(const ServingRequest& request) {
  const planner::ServingChoice& serving = request.serving;
  const ReportTarget target(request.common);
  std::vector<const OutputFile*> outputs;
  std::optional<OutputFile> csv;
  if (request.csv) outputs.push_back(&csv.emplace(*request.csv));
  if (target.file() != nullptr) outputs.push_back(target.file());
  std::vector<std::string> inputs = workload_files(request.workload);
  for (const std::string& file : machine_inputs(serving.machine)) inputs.push_back(file);
  if (serving.draft) {
    for (const std::string& file : workload_files(*serving.draft)) inputs.push_back(file);
  }
  check_one_stdin(inputs);
  check_distinct(outputs, inputs);
  planner::ServingJob job;
  planner::ServingFindings found;
  job.system = read_chips(serving.machine, request.common);
  job.options = serving.options;
  job.options.operand_bytes = static_cast<double>(job.system.chip.matrix_bits) / kBitsOfByte;
  Warnings warnings(request.common);
  warn_of_unread_keys(serving.machine, job.system, read_keys(serving.area), warnings);
  const Workload workload = read_workload_named(request.workload, "WORKLOAD", request.common);
  try {
    job.model = planner::served_model(workload);
    job.draft = draft_of(request);
    found = planner::run_serving_job(job, serving.area);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, error.what());
  }
  if (found.areas.empty()) check_fits(job, found);
  if (csv) csv->write(planner::serving_table(found).csv());
  target.write(planner::serving_report(job, found, warnings.texts()));
  if (!target.on_stdout()) write_stdout(serving_summary(job, found));
  return 0;
}

}  // namespace

const Command& model_serving_command() {
  static const Command command = command_of<ServingRequest>(
      {.name = "model serving",
       .summary = "Tell how fast a language model is served.",
       .usage = {"model serving WORKLOAD [--hardware M] [options]",
                 "model serving WORKLOAD --draft WORKLOAD [options]"},
       .description =
           "Of every way of sharing the system's chips, tensor (TP) by pipeline (PP), the time to "
           "the first token (TTFT), the time per output token (TPOT) and the tokens a second of "
           "all chips, and what a layer and the ends (embedding and head) spend on arithmetic, "
           "memory, links and their latency. With --draft also speculative decoding with a window "
           "of 1, 2, ... tokens: docs/serving.md. Exit code 3 where the model does not fit.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .modes = {{"--draft", [](const ArgumentValues& values) { return values.contains("draft"); }},
                 {"WORKLOAD", [](const ArgumentValues&) { return true; }}},
       .examples = {"waferloom model serving llama3_8b",
                    "waferloom model serving llama3_405b --draft llama_68m --window 8",
                    "waferloom model serving gpt_100t --area"}},
      {operand(&ServingRequest::workload,
               {"WORKLOAD", "A preset or a JSON file of a transformer; - reads stdin."})},
      joined_options<ServingRequest>(
          {options_inside(&ServingRequest::serving, planner::serving_options()),
           {option(&ServingRequest::csv,
                   {"csv", '\0', "FILE", "Write the table of TP and PP as CSV."})}}),
      run_model_serving);
  return command;
}

}  // namespace waferloom::cli
