#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/files/report_target.h"
#include "cluster/submission.h"

namespace waferloom::cli {
namespace {

int cancel_main(const RunRequest& request) {
  const cluster::SweepFolder run = sweep_folder(request.run, request.common);
  const ReportTarget report(request.common);
  const cluster::CancelledRun cancelled = cluster::cancel(run);
  Json json = new_report("sweep_cancel");
  json["slurm_jobs"] = cancelled.slurm_jobs;
  json["stopped"] = cancelled.stopped;
  json["elsewhere"] = cancelled.elsewhere;
  report.write(Report(json));
  if (!report.on_stdout()) {
    write_stdout(run.path() + ": " + std::to_string(cancelled.slurm_jobs.size()) +
                 " jobs of Slurm cancelled\n" + "  here      " + std::to_string(cancelled.stopped) +
                 " processes told to stop\n" + "  elsewhere " +
                 std::to_string(cancelled.elsewhere) + " processes, left alone\n");
  }
  return 0;
}

}  // namespace

const Command& sweep_cancel_command() {
  static const Command command = command_of<RunRequest>(
      {.name = "sweep cancel",
       .summary = "Stop what works on a sweep; results stay.",
       .usage = {"sweep cancel RUN [options]"},
       .description =
           "Cancels the run's jobs of Slurm, and sends SIGTERM to its engines and tasks on this "
           "machine: they drop the point at hand. Results stay, `sweep submit` goes on from there. "
           "Tasks on other machines are counted; cancel them there, or with their scheduler.",
       .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
       .examples = {"waferloom sweep cancel run"}},
      {run_operand<RunRequest>()}, {}, cancel_main);
  return command;
}

}  // namespace waferloom::cli
