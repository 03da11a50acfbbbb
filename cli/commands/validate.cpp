#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/console/failure.h"
#include "cli/console/progress.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/options/command_rows.h"
#include "cli/options/search_control.h"
#include "cli/summaries/validation_summary.h"
#include "model/report.h"
#include "model/run_control.h"
#include "model/text.h"
#include "optimize/simulation_rows.h"
#include "planner/validation.h"

namespace waferloom::cli {
namespace {

/// What the command line asks for.
struct ValidateRequest {
  CommonOptions common;
  std::vector<std::string> chapters;
  std::optional<std::string> markdown;
  std::optional<std::string> csv;
  std::optional<std::string> rows;  ///< measured ones
};

/// A chapter, and what computes its rows.
struct Chapter {
  std::string_view name;
  std::string_view title;
  std::vector<planner::ValidationRow> (*rows)(const RunControl&);
};

/// Rows that take no time.
template <std::vector<planner::ValidationRow> (*rows)()>
std::vector<planner::ValidationRow> quick(const RunControl&) {
  return rows();
}

constexpr std::array<Chapter, 5> kChapters{{
    {planner::kValidationChapters[0], "AMPeD: training time", quick<planner::amped_rows>},
    {planner::kValidationChapters[1], "DFModel: partitions on a chip",
     quick<planner::dfmodel_mapping_rows>},
    {planner::kValidationChapters[2], "DFModel: chips, networks, workloads",
     planner::dfmodel_system_rows},
    {planner::kValidationChapters[3], "DFModel: serving, speculation, stacked memory",
     quick<planner::serving_rows>},
    {planner::kValidationChapters[4], "Centimani: memory, batch, time",
     quick<planner::centimani_rows>},
}};
constexpr Chapter kSimulation{planner::kValidationChapters[5], "Simulation: PALM and Megatron",
                              optimize::simulation_rows};

std::vector<Chapter> all_chapters() {
  std::vector<Chapter> all(kChapters.begin(), kChapters.end());
  all.push_back(kSimulation);
  return all;
}

std::vector<Chapter> wanted_chapters(const ValidateRequest& request) {
  std::vector<Chapter> all = all_chapters();
  if (request.chapters.empty()) return all;
  std::vector<std::string_view> names;
  for (const Chapter& chapter : all) names.push_back(chapter.name);
  std::vector<Chapter> wanted;
  for (const std::string& name : request.chapters) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Chapter& known) { return known.name == name; });
    if (found == all.end()) {
      throw Failure(FailureKind::usage, "--model: expected " + alternatives(names) + ", found " +
                                            in_quotes(name) + suggestion(name, names));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

/// The chapter that is judged by rows of the user's.
constexpr std::string_view kWafer = "wafer";

/// Measured rows of a file beside ours.
int validate_rows(const std::string& file, const CommonOptions& common) {
  const ReportTarget target(common);
  std::vector<const OutputFile*> outputs;
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_distinct(outputs, {file});
  const std::vector<planner::WaferRow> rows =
      planner::wafer_rows(read_input(file, common), source_name(file));
  target.write(planner::wafer_rows_report(rows));
  if (!target.on_stdout()) write_stdout(wafer_rows_summary(rows));
  return 0;
}

/// Whether measured rows are asked for.
bool wants_rows(const ValidateRequest& request) {
  const bool has_wafer = !request.chapters.empty() && request.chapters.front() == kWafer;
  if (has_wafer && request.chapters.size() > 1) {
    throw Failure(FailureKind::usage, "--model: wafer goes alone, with --rows FILE");
  }
  if (has_wafer && !request.rows) {
    throw Failure(FailureKind::usage,
                  "--model wafer: needs --rows FILE, the measured rows; none are shipped");
  }
  if (request.rows && !has_wafer) {
    throw Failure(FailureKind::usage, "--rows: needs --model wafer");
  }
  if (has_wafer && (request.markdown || request.csv)) {
    throw Failure(FailureKind::usage, std::string(request.markdown ? "--markdown" : "--csv") +
                                          ": not with --model wafer");
  }
  return has_wafer;
}

int run_validate(const ValidateRequest& request) {
  const CommonOptions& common = request.common;
  if (wants_rows(request)) return validate_rows(*request.rows, common);
  const ReportTarget target(common);
  std::optional<OutputFile> page;
  std::optional<OutputFile> table;
  if (request.markdown) page.emplace(*request.markdown);
  if (request.csv) table.emplace(*request.csv);
  std::vector<const OutputFile*> outputs;
  for (const auto* file : {&page, &table}) {
    if (*file) outputs.push_back(&**file);
  }
  if (target.file() != nullptr) outputs.push_back(target.file());
  check_distinct(outputs, {});
  const std::vector<Chapter> wanted = wanted_chapters(request);
  Progress progress(common);
  const RunControl control = run_control(common, progress);
  std::vector<planner::ValidationChapter> chapters;
  for (const Chapter& chapter : wanted) {
    control.tell({"computing", std::string(chapter.name)});
    chapters.push_back({chapter.name, chapter.title, chapter.rows(control)});
    control.end_if_cut();
  }
  progress.finish();
  if (page) page->write(planner::validation_page(chapters));
  if (table) table->write(planner::validation_csv(chapters));
  target.write(planner::validation_report(chapters));
  if (!target.on_stdout()) write_stdout(validation_summary(chapters));
  const std::size_t failing = planner::validation_counts(chapters).back().failing();
  if (failing == 0) return 0;
  throw Failure(FailureKind::check,
                fmt::format("{} figure{} not within tolerance; the table says which", failing,
                            failing == 1 ? " is" : "s are"));
}

}  // namespace

const Command& validate_command() {
  static const Command command = command_of<ValidateRequest>(
      {.name = "validate",
       .summary = "Print published figures beside ours.",
       .usage = {"validate [--model CHAPTER] [--markdown FILE] [--csv FILE]",
                 "validate --model wafer --rows FILE"},
       .description =
           "Computes figures that the papers behind waferloom publish, and closed forms derived by "
           "hand, and prints them with the error. Rows are reproduced (judged against a published "
           "or logged figure), closed forms, calibrated (a constant is fitted), known not to be "
           "reproduced or not judged, with the reason; counts by paper and kind follow. "
           "docs/validation.md also lists the tables and figures that have no row.\n\n"
           "With --model wafer rows that were measured on wafers are read and stand beside ours "
           "(docs/operators.md): MeshGEMM, SUMMA, MeshGEMV and shift on devices; of the others the "
           "report says why they are not judged.\n\n"
           "Ends with 4 if a judged figure is not within its tolerance.",
       .idle = {"seed", "effort", "verbose"},
       .examples = {"waferloom validate", "waferloom validate --model amped --csv amped.csv",
                    "waferloom validate --markdown validation.md"}},
      {},
      {option(&ValidateRequest::chapters,
              {"model", '\0', "CHAPTER",
               "amped, dfmodel-chip, dfmodel-system, serving, centimani or simulation; may be "
               "given again (default all). Or wafer.",
               true}),
       option(&ValidateRequest::markdown,
              {"markdown", '\0', "FILE", "Also write docs/validation.md's text."}),
       option(&ValidateRequest::csv,
              {"csv", '\0', "FILE", "Also write a table with sources and notes."}),
       option(&ValidateRequest::rows,
              {"rows", '\0', "FILE", "Rows that were measured, as JSON; - reads stdin."})},
      run_validate);
  return command;
}

}  // namespace waferloom::cli
