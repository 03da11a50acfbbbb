#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/files/report_target.h"
#include "cluster/table_files.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr const char* kDatabase = ".sqlite";

struct CollectRequest {
  CommonOptions common;
  std::string run;
  std::string output;
};

/// The file of -o. Failure::usage for another ending than .csv and .sqlite.
OutputFile table_file(const std::string& path) {
  if (!path.ends_with(".csv") && !path.ends_with(kDatabase)) {
    throw Failure(
        FailureKind::usage,
        "--output: expected a name that ends in .csv or .sqlite, found " + in_quotes(path));
  }
  return OutputFile(path);
}

int run_collect(const CollectRequest& request) {
  const CommonOptions& common = request.common;
  const cluster::SweepFolder run = sweep_folder(request.run, common);
  const OutputFile file = table_file(request.output);
  const ReportTarget report(common);
  const RunControl control = until_a_signal(run_control(common));
  const cluster::TableRows rows(run, control);
  const bool is_database = file.path().ends_with(kDatabase);
  const cluster::PointCounts counts =
      is_database ? write_sqlite(rows, file) : write_csv(rows, file);
  report.write(sweep_status_report(run.facts(), counts));
  if (!report.on_stdout()) {
    write_stdout(fmt::format("{}: {}\n  columns   {}, the last {} about the runs themselves\n",
                             file.path(), counts_text(counts), rows.columns().size(),
                             rows.run_columns()));
  }
  return 0;
}

}  // namespace

const Command& sweep_collect_command() {
  static const Command command = command_of<CollectRequest>(
      {.name = "sweep collect",
       .summary = "Write the results of a sweep as one table.",
       .usage = {"sweep collect RUN -o FILE.csv|FILE.sqlite [options]"},
       .description =
           "A row a point, in the order of the manifest: id, axes, status, exit code, why it "
           "failed, then every number and text of the command's report by its key. The columns at "
           "the end (wall_s, events_per_s, peak_memory_bytes, point_wall_s, "
           "point_peak_memory_bytes) are of the runs themselves; all others are the same whatever "
           "ran the points. Points that have no result yet are there as missing.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep collect run -o all.csv"}},
      {run_operand<CollectRequest>()},
      {option(&CollectRequest::output,
              {"output", 'o', "FILE", "The table; its ending says the form: .csv or .sqlite.",
               false, true})},
      run_collect);
  return command;
}

}  // namespace waferloom::cli
