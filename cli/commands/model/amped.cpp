#include "planner/amped.h"

#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/model/amped_job.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/machine_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/files/workload_file.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/amped_summary.h"
#include "model/errors.h"

namespace waferloom::cli {
namespace {

/// The files that it writes.
struct Outputs {
  std::optional<OutputFile> csv;
  std::optional<PictureFile> picture;
};

Outputs outputs_of(const AmpedRequest& request, const ReportTarget& target) {
  Outputs outputs;
  if (request.csv) outputs.csv.emplace(*request.csv);
  if (request.heatmap) outputs.picture = picture_file("--heatmap", *request.heatmap);
  std::vector<const OutputFile*> files;
  if (target.file() != nullptr) files.push_back(target.file());
  if (outputs.csv) files.push_back(&*outputs.csv);
  if (outputs.picture) files.push_back(&outputs.picture->file);
  std::vector<std::string> inputs = workload_files(request.workload);
  for (const std::string& file : machine_inputs(request.amped.machine)) inputs.push_back(file);
  check_distinct(files, inputs);
  return outputs;
}

std::string picture_of(const planner::AmpedJob& job, const planner::AmpedExploration& found,
                       viz::PictureFormat format) {
  try {
    return viz::draw_table_heat_map(amped_heat_map(job, found), format);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::usage, std::string("--heatmap: ") + error.what());
  }
}

int run_model_amped(const AmpedRequest& request) {
  const ReportTarget target(request.common);
  const Outputs outputs = outputs_of(request, target);
  const planner::AmpedJob job = amped_job(request);
  const planner::AmpedExploration found = run_amped(job);
  throw_if_interrupted();
  throw_if_late(request.common);
  if (outputs.picture) {
    outputs.picture->file.write(picture_of(job, found, outputs.picture->format));
  }
  if (outputs.csv) outputs.csv->write(planner::amped_csv(job, found));
  target.write(planner::amped_report(job, found));
  if (!target.on_stdout()) write_stdout(amped_summary(job, found));
  return 0;
}

}  // namespace

const Command& model_amped_command() {
  static const Command command = command_of<AmpedRequest>(
      {.name = "model amped",
       .summary = "Tell how long a transformer trains on nodes of chips (AMPeD).",
       .usage = {"model amped WORKLOAD --batch N --tp N --pp N [--dp N] [options]",
                 "model amped WORKLOAD --batch N --explore [--top N] [options]"},
       .description =
           "AMPeD's equations: computation at a part of the peak rate, all-reduces of tensor and "
           "data parallelism inside nodes and among them, transfers and bubbles of pipelines, "
           "all-to-alls of experts. Told are the time of a batch by part, of a training of "
           "--tokens, and what memory the fullest chip needs. --explore ranks every way to cut, "
           "in nodes and among them: docs/amped.md.",
       .idle = {"seed", "effort", "verbose", "quiet"},
       .examples = {"waferloom model amped T-145B --batch 2048 --explore --recompute",
                    "waferloom model amped T-145B --batch 2304 --nodes 192 --tp 8 --pp 8",
                    "waferloom model amped T-145B --batch 2048 --explore --fits --heatmap days.svg",
                    "waferloom model amped T-145B --batch 16384 --tp 8x2 --pp 1x64 --bubble "
                    "literal",
                    "waferloom model amped T-18B --batch 1024 --experts 64 --explore --csv "
                    "all.csv"}},
      {operand(&AmpedRequest::workload,
               {"WORKLOAD", "A preset or a JSON file of a transformer; - reads stdin."})},
      joined_options<AmpedRequest>(
          {options_inside(&AmpedRequest::amped, planner::amped_options()),
           {option(&AmpedRequest::csv,
                   {"csv", '\0', "FILE", "Of --explore: write all degrees as CSV."}),
            option(&AmpedRequest::heatmap,
                   {"heatmap", '\0', "FILE",
                    "Of --explore: draw times as .svg, .png or .pdf, a row for the degrees inside "
                    "nodes, a column for those among them."})}}),
      run_model_amped);
  return command;
}

}  // namespace waferloom::cli
