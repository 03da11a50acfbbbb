#include <signal.h>

#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/files/report_target.h"
#include "cli/sweep/run_folder.h"
#include "cli/sweep/running_file.h"
#include "cluster/process_name.h"
#include "cluster/slurm.h"

namespace waferloom::cli {
namespace {

/// Asks the processes of this machine to stop: engines first, or they would start the next task.
std::uint64_t stop_here(const std::vector<RunningProcess>& running) {
  std::uint64_t stopped = 0;
  for (const char* what : {"submit", "task"}) {
    for (const RunningProcess& process : running) {
      if (process.what != what || process.host != cluster::host_name()) continue;
      if (kill(process.pid, SIGTERM) == 0) ++stopped;
    }
  }
  return stopped;
}

int cancel_main(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const RunFolder run(arguments.text("RUN"), common);
  const ReportTarget report(common);
  std::vector<std::string> jobs;
  for (const cluster::SlurmJob& job : cluster::living_slurm_jobs(run.file("engine")))
    jobs.push_back(job.number);
  const std::vector<RunningProcess> running = running_processes(run);
  const std::uint64_t stopped = stop_here(running);
  cluster::cancel_slurm_jobs(jobs);
  const std::uint64_t elsewhere = running.size() - stopped;
  Json json = new_report("sweep_cancel");
  json["slurm_jobs"] = jobs;
  json["stopped"] = stopped;
  json["elsewhere"] = elsewhere;
  report.write(json);
  if (!report.on_stdout()) {
    write_stdout(run.path() + ": " + std::to_string(jobs.size()) + " jobs of Slurm cancelled\n" +
                 "  here      " + std::to_string(stopped) + " processes told to stop\n" +
                 "  elsewhere " + std::to_string(elsewhere) + " processes, left alone\n");
  }
  return 0;
}

}  // namespace

const Command& sweep_cancel_command() {
  static const Command command{
      .name = "sweep cancel",
      .summary = "Stop what works on a sweep; results stay.",
      .usage = {"sweep cancel RUN [options]"},
      .description =
          "Cancels the run's jobs of Slurm, and sends SIGTERM to its engines and tasks on this "
          "machine: they drop the point at hand. Results stay, `sweep submit` goes on from there. "
          "Tasks on other machines are counted; cancel them there, or with their scheduler.",
      .operands = {{"RUN", "The folder that `sweep plan` made."}},
      .options = {},
      .idle = {"seed", "threads", "effort", "time-limit", "verbose", "quiet"},
      .examples = {"waferloom sweep cancel run"},
      .run = cancel_main};
  return command;
}

}  // namespace waferloom::cli
