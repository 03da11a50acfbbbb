#include "planner/dfmodel.h"

#include "cli/commands/commands.h"
#include "cli/commands/model/dfmodel_job.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/files/picture_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/summaries/dfmodel_summary.h"
#include "model/errors.h"

namespace waferloom::cli {
namespace {

std::string draw(const planner::DfmodelJob& job, const planner::DfmodelResult& result,
                 viz::PictureFormat format) {
  try {
    return viz::draw_roofline(roofline_plot(job, result), format);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(job.network, error));
  }
}

int run_model_dfmodel(const DfmodelRequest& request) {
  const ReportTarget target(request.common);
  std::optional<OutputFile> mapping;
  std::optional<OutputFile> csv;
  std::optional<PictureFile> roofline;
  std::vector<const OutputFile*> outputs;
  if (request.output) outputs.push_back(&mapping.emplace(*request.output));
  if (request.csv) outputs.push_back(&csv.emplace(*request.csv));
  if (request.roofline) {
    roofline = picture_file("--roofline", *request.roofline);
    outputs.push_back(&roofline->file);
  }
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_one_stdin(dfmodel_files(request));
  check_distinct(outputs, dfmodel_files(request));
  const planner::MappingRequest& wanted = request.choice.mapping;
  if (wanted.search.partitions && wanted.name != planner::kOptimalMapping) {
    throw Failure(FailureKind::usage, "--partitions: needs --mapping optimal");
  }
  planner::DfmodelJob job = dfmodel_job(request);
  const planner::DfmodelResult result = run_dfmodel(request, job);
  // All is made before anything is written.
  const Report report = planner::dfmodel_report(job, result);
  const std::string summary = target.on_stdout() ? "" : dfmodel_summary(job, result);
  std::string mapping_text;
  std::string csv_text;
  std::string picture;
  if (mapping) mapping_text = planner::mapping_text(job, result.chosen.partitions);
  if (csv) csv_text = planner::partitions_table(job, result.chosen).csv();
  if (roofline) picture = draw(job, result, roofline->format);
  if (mapping) mapping->write(mapping_text);
  if (csv) csv->write(csv_text);
  if (roofline) roofline->file.write(picture);
  target.write(report);
  if (!target.on_stdout()) write_stdout(summary);
  return 0;
}

}  // namespace

const Command& model_dfmodel_command() {
  static const Command command = command_of<DfmodelRequest>(
      {.name = "model dfmodel",
       .summary = "Cut a layer's kernels into partitions of a chip, best of all.",
       .usage = {"model dfmodel NETWORK [--hardware M] [--mapping M] [options]"},
       .description =
           "Shares the kernels of a layer among chips with the least communication, then cuts them "
           "into partitions that a chip works on one after another: the mapping of least time that "
           "fits its SRAM, proved over all order ideals (or by CBC, with the gap), beside one "
           "kernel at a time and the vendor's cut of transformer layers. A partition takes the "
           "longest of compute, memory and network: docs/dfmodel.md. Exit code 3 where nothing "
           "fits.",
       .idle = {"seed", "threads", "effort", "verbose", "quiet"},
       .examples =
           {"waferloom model dfmodel t_145b --hardware sn10_8x1 --batch 2304",
            "waferloom model dfmodel t_145b --mapping vendor --cycles --micro-batch max",
            "waferloom model dfmodel layer.json --tensor 4 --partitions 3 -o mapping.json \\\n"
            "      --roofline roofline.svg"}},
      {operand(&DfmodelRequest::network,
               {"NETWORK",
                "A preset or file of a workload with transformer layers, or of kernels of graphs, "
                "or a graph of kernels; - reads stdin."})},
      joined_options<DfmodelRequest>(
          {options_inside(&DfmodelRequest::choice, planner::dfmodel_options()),
           {option(&DfmodelRequest::output,
                   {"output", 'o', "FILE", "Write the mapping; --mapping reads it again."}),
            option(&DfmodelRequest::roofline,
                   {"roofline", '\0', "FILE",
                    "Draw the mappings below the roofs (.svg, .png, .pdf)."}),
            option(&DfmodelRequest::csv,
                   {"csv", '\0', "FILE", "Write the table of partitions as CSV."})}}),
      run_model_dfmodel);
  return command;
}

}  // namespace waferloom::cli
