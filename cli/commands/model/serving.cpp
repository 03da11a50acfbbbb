#include "planner/serving.h"

#include <array>
#include <cstdint>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/preset_file.h"
#include "cli/files/report_target.h"
#include "cli/files/system_file.h"
#include "cli/files/workload_file.h"
#include "cli/options/option_values.h"
#include "cli/summaries/serving_summary.h"
#include "model/errors.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom::cli {
namespace {

/// Of the chip, what serving and the study of areas model.
std::vector<std::string_view> read_keys(bool wants_areas) {
  std::vector<std::string_view> keys{"flop_per_s", "efficiency", "sram_bytes", "sram_bytes_per_s",
                                     "matrix_bits"};
  if (wants_areas) keys.emplace_back("cores");
  return keys;
}

constexpr double kBitsOfByte = 8;

planner::ServingOptions serving_options(const Arguments& arguments, const System& system) {
  planner::ServingOptions options;
  options.operand_bytes = static_cast<double>(system.chip.matrix_bits) / kBitsOfByte;
  options.prompt = whole(arguments, "prompt");
  options.context = whole(arguments, "context");
  options.samples = whole(arguments, "samples");
  return options;
}

std::optional<planner::Draft> draft_of(const Arguments& arguments) {
  if (!arguments.has("draft")) return std::nullopt;
  planner::Draft draft;
  draft.speculation.scheme =
      named<planner::SpeculationScheme>(arguments, "scheme", planner::kSchemeNames);
  draft.speculation.window = whole(arguments, "window");
  draft.speculation.acceptance = real(arguments, "acceptance");
  const PresetKind kind{workload_preset, workload_preset_names,
                        "--draft: expected a preset or a file",
                        "; `waferloom workload` lists the presets"};
  const NamedText found = read_preset_or_file(arguments.text("draft"), kind, arguments.common());
  draft.model = planner::served_model(expand(read_network_text(found, arguments.common())));
  return draft;
}

void check_fits(const planner::ServingJob& job, const planner::ServingFindings& found) {
  for (const planner::ServingPoint& point : found.points) {
    if (point.lacks.empty()) return;
  }
  if (found.points.empty()) {
    throw Failure(FailureKind::infeasible,
                  job.model.name + ": its " + std::to_string(job.model.layers) + " layers of " +
                      std::to_string(job.model.layer.heads) + " heads cannot be shared by " +
                      std::to_string(job.system.chips()) + " chips of " + job.system.name);
  }
  throw Failure(FailureKind::infeasible, job.model.name + " does not fit " + job.system.name +
                                             ": " + found.points.front().lacks +
                                             " with a tensor group of " +
                                             std::to_string(found.points.front().tensor));
}

int model_serving_main(const Arguments& arguments) {
  const ReportTarget target(arguments.common());
  std::vector<const OutputFile*> outputs;
  std::optional<OutputFile> csv;
  if (arguments.has("csv")) outputs.push_back(&csv.emplace(arguments.text("csv")));
  if (target.file() != nullptr) outputs.push_back(target.file());
  std::vector<std::string> inputs = workload_files(arguments.text("WORKLOAD"));
  for (const std::string& file : system_files(arguments, "system")) inputs.push_back(file);
  if (arguments.has("draft")) {
    for (const std::string& file : workload_files(arguments.text("draft"))) inputs.push_back(file);
  }
  check_one_stdin(inputs);
  check_distinct(outputs, inputs);
  planner::ServingJob job;
  planner::ServingFindings found;
  job.system = read_system_option(arguments, "system");
  job.options = serving_options(arguments, job.system);
  Warnings warnings(arguments.common());
  warn_of_unread_keys(arguments, "system", job.system, read_keys(arguments.has("area")), warnings);
  const Workload workload = read_workload_operand(arguments, "WORKLOAD");
  try {
    job.model = planner::served_model(workload);
    job.draft = draft_of(arguments);
    found = planner::run_serving_job(job, arguments.has("area"));
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
  static const Command command{
      .name = "model serving",
      .summary = "Tell how fast a language model is served.",
      .usage = {"model serving WORKLOAD [--system S] [options]",
                "model serving WORKLOAD --draft WORKLOAD [options]"},
      .description =
          "Of every way of sharing the system's chips, tensor (TP) by pipeline (PP), the time to "
          "the first token (TTFT), the time per output token (TPOT) and the tokens a second of all "
          "chips, and what a layer and the ends (embedding and head) spend on arithmetic, memory, "
          "links and their latency. With "
          "--draft also speculative decoding with a window of 1, 2, ... tokens: "
          "docs/serving.md. Exit code 3 where the model does not fit.",
      .operands = {{"WORKLOAD", "A preset or a JSON file of a transformer; - reads stdin."}},
      .options = joined({planner::serving_options(),
                         {{"csv", '\0', "FILE", "Write the table of TP and PP as CSV."}}}),
      .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
      .modes = {{"--draft", [](const ArgumentValues& values) { return values.contains("draft"); }},
                {"WORKLOAD", [](const ArgumentValues&) { return true; }}},
      .examples = {"waferloom model serving llama3_8b",
                   "waferloom model serving llama3_405b --draft llama_68m --window 8",
                   "waferloom model serving gpt_100t --area"},
      .run = model_serving_main};
  return command;
}

}  // namespace waferloom::cli
