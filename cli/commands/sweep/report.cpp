#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/files/report_target.h"
#include "cluster/report_page.h"
#include "cluster/table_files.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

struct ReportRequest {
  CommonOptions common;
  std::string run;
  std::string output;
  std::vector<std::string> objectives;
  std::optional<std::string> heat;  ///< "AXIS,AXIS"
};

/// The column that an option names. Failure::usage for another name.
std::size_t column_named(const sweep::CollectedTable& table, const std::string& name,
                         const std::string& option, bool axis) {
  const auto found = table.column(name);
  if (found && (!axis || (*found >= 1 && *found <= table.axes))) return *found;
  std::vector<std::string_view> known(table.columns.begin() + 1, table.columns.end());
  if (axis) known.resize(table.axes);
  throw Failure(FailureKind::usage, "--" + option + ": expected " +
                                        (axis ? "an axis (" + alternatives(known) + ")"
                                              : "a column of `sweep collect`") +
                                        ", found " + in_quotes(name) + suggestion(name, known));
}

/// "score/total" or "samples_per_s:max".
std::vector<sweep::Objective> objectives_of(const std::vector<std::string>& texts,
                                            const sweep::CollectedTable& table) {
  std::vector<sweep::Objective> objectives;
  for (const std::string& text : texts) {
    sweep::Objective objective{text, text.ends_with(":max")};
    if (objective.maximise || text.ends_with(":min")) {
      objective.column = text.substr(0, text.size() - 4);
    }
    column_named(table, objective.column, "objective", false);
    if (sweep::best_rows(table, objective, 1).empty()) {
      throw Failure(FailureKind::usage, "--objective: no point has a number in the column " +
                                            in_quotes(objective.column));
    }
    objectives.push_back(std::move(objective));
  }
  return objectives;
}

cluster::PageRequest page_request(const ReportRequest& request,
                                  const sweep::CollectedTable& table) {
  cluster::PageRequest page{.objectives = objectives_of(request.objectives, table)};
  if (!request.heat) {
    page.heat = cluster::default_heat(table);
    return page;
  }
  const std::string& text = *request.heat;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw Failure(FailureKind::usage, "--heat: expected AXIS,AXIS, found " + in_quotes(text));
  }
  page.heat = {column_named(table, text.substr(0, comma), "heat", true),
               column_named(table, text.substr(comma + 1), "heat", true)};
  return page;
}

int run_report(const ReportRequest& request) {
  const CommonOptions& common = request.common;
  const cluster::SweepFolder run = sweep_folder(request.run, common);
  const OutputFile file(request.output);
  const ReportTarget report(common);
  const RunControl control = until_a_signal(run_control(common));
  const cluster::TableRows rows(run, control);
  sweep::CollectedTable table{rows.columns(), {}, run.facts().columns.size()};
  const cluster::PointCounts counts =
      rows.for_each([&](const std::vector<std::string>& cells) { table.rows.push_back(cells); });
  cluster::PageRequest page = page_request(request, table);
  page.title = "Sweep of " + run.facts().command;
  page.facts = counts_text(counts);
  file.write(report_page(table, page));
  report.write(sweep_status_report(run.facts(), counts));
  if (!report.on_stdout()) write_stdout(file.path() + ": " + counts_text(counts) + "\n");
  return 0;
}

}  // namespace

const Command& sweep_report_command() {
  static const Command command = command_of<ReportRequest>(
      {.name = "sweep report",
       .summary = "Draw the results of a sweep as a page.",
       .usage = {"sweep report RUN -o FILE --objective COLUMN[:max] [options]"},
       .description =
           "One HTML file that needs no other: for each pair of objectives all points with their "
           "Pareto front, heat maps of each objective over two axes, the best points of each, why "
           "points have no figure, and all points as CSV to download.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep report run -o sweep.html --objective score/total"}},
      {run_operand<ReportRequest>()},
      {option(&ReportRequest::output, {"output", 'o', "FILE", "The page.", false, true}),
       option(&ReportRequest::objectives,
              {"objective", '\0', "COLUMN[:max]",
               "A column of `sweep collect` that should be small, or with :max large; may be "
               "given several times.",
               true, true}),
       option(&ReportRequest::heat,
              {"heat", '\0', "AXIS,AXIS",
               "Axes of the heat maps (default the first two that have 2 to 60 values)."})},
      run_report);
  return command;
}

}  // namespace waferloom::cli
