#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/commands/sweep/sweep_reports.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/report_target.h"
#include "cli/options/engine_options.h"
#include "cli/options/search_control.h"
#include "cluster/processes.h"
#include "cluster/run_figures.h"
#include "cluster/slurm.h"
#include "cluster/submission.h"
#include "cluster/sweep_folder.h"
#include "cluster/task.h"
#include "cluster/task_array.h"
#include "sweep/schedule.h"

namespace waferloom::cli {
namespace {

constexpr double kMostMinutes = 100'000;
/// Of a point that nothing is known of.
constexpr double kUnknownSeconds = 10;

struct SubmitRequest {
  CommonOptions common;
  std::string run;
  std::vector<std::string> engine_words;
  std::string engine = "local";
  std::optional<std::uint64_t> tasks;
  double minutes_per_task = 10;
  std::optional<double> seconds_per_point;
  std::uint64_t at_once = 100;
  bool waits = false;
  std::string command;                ///< in place of an engine, if it is not empty
  std::optional<std::string> memory;  ///< megabytes, for the tasks
};

double seconds_per_point(const cluster::SweepFolder& run, const SubmitRequest& request) {
  if (request.seconds_per_point) return *request.seconds_per_point;
  return mean_seconds(run).value_or(kUnknownSeconds);
}

std::uint64_t task_count(const cluster::SweepFolder& run, const SubmitRequest& request,
                         const std::string& engine, std::uint64_t open) {
  const std::uint64_t most = engine == "slurm" ? cluster::most_slurm_tasks() : cluster::kMostTasks;
  if (request.tasks) {
    if (*request.tasks > most) {
      throw Failure(
          FailureKind::usage,
          fmt::format("--tasks: this Slurm has arrays of at most {} tasks (MaxArraySize), found {}",
                      most, *request.tasks));
    }
    return std::min(*request.tasks, run.facts().points);
  }
  if (engine == "local" || engine == "parallel") {
    const auto cores = static_cast<std::uint64_t>(request.common.threads);
    return std::min(cores, run.facts().points);
  }
  return sweep::packed_tasks(
      {open, seconds_per_point(run, request), request.minutes_per_task, most});
}

/// Hands the tasks over; true if the engine has ended with them.
bool hand_over(const cluster::Submission& submission, const CommonOptions& common,
               Progress& progress) {
  const RunControl control = until_a_signal(run_control(common, progress));
  const auto note = [&progress](const std::string& line) { progress.note(line); };
  try {
    return cluster::submit(submission, control, note);
  } catch (const cluster::EngineError& error) {
    if (submission.command.empty()) throw;
    throw Failure(FailureKind::input, "--submit-with: " + std::string(error.what()));
  }
}

void refuse_submit(const ArgumentValues& values) {
  const auto command = values.find("submit-with");
  if (command != values.end()) {
    if (command->second.front().find("{}") == std::string::npos) {
      throw Failure(FailureKind::usage,
                    "--submit-with: expected a command with {} for what it runs");
    }
    if (values.contains("engine")) {
      throw Failure(FailureKind::usage, "--submit-with: goes without --engine");
    }
  }
  const std::string name = engine_of(values);
  for (const char* option : {"at-once", "wait"}) {
    if (values.contains(option) && name != "slurm") {
      throw Failure(FailureKind::usage, "--" + std::string(option) + ": needs --engine slurm");
    }
  }
  if (values.contains(kEngineWords) && name == "local") {
    throw Failure(FailureKind::usage, "OPTIONS: are for --engine parallel and slurm");
  }
}

int run_submit(const SubmitRequest& request) {
  const CommonOptions& common = request.common;
  const std::string engine = request.command.empty() ? request.engine : "";
  need_engine(engine);
  const cluster::SweepFolder run = sweep_folder(request.run, common);
  const ReportTarget report(common);
  run.remove_leftovers();
  const RunControl control = until_a_signal(run_control(common));
  cluster::PointCounts counts = cluster::count_whole_points(run, control);
  Progress progress(common);
  bool ended = true;
  std::uint64_t tasks = 0;
  const std::uint64_t open = counts.points - counts.answered();
  if (open > 0) {
    tasks = task_count(run, request, engine, open);
    cluster::Submission submission{.run = run,
                                   .program = cluster::own_program(),
                                   .extra = request.engine_words,
                                   .tasks = tasks,
                                   .quiet = common.quiet,
                                   .engine = engine,
                                   .at_once = request.at_once,
                                   .waits = request.waits};
    if (request.memory) submission.limits = {"--memory", *request.memory};
    submission.command = request.command;
    ended = hand_over(submission, common, progress);
    counts = interrupted() ? cluster::count_points(run) : cluster::count_whole_points(run, control);
  }
  progress.finish();
  report.write(sweep_status_report(run.facts(), counts));
  if (!report.on_stdout()) {
    write_stdout(fmt::format("{}: {} tasks; {}\n", run.path(), tasks, counts_text(counts)));
  }
  throw_if_interrupted();
  return ended ? exit_code_of(counts) : 0;
}

Options<SubmitRequest> submit_options() {
  return {
      option(&SubmitRequest::engine,
             {.name = "engine",
              .value = "NAME",
              .help = "What runs the tasks: {choices}.",
              .choices = {{"local", "all at once on this machine"},
                          {"parallel", "GNU parallel: this machine, or hosts over ssh"},
                          {"slurm", "an array of Slurm"}}}),
      option(
          &SubmitRequest::tasks,
          {.name = "tasks",
           .value = "N",
           .help =
               "Shares of the run, {range} (default a core each; of Slurm so many that each takes "
               "--minutes-per-task).",
           .range = WholeRange{1, cluster::kMostTasks}}),
      option(&SubmitRequest::minutes_per_task, {.name = "minutes-per-task",
                                                .value = "M",
                                                .help = "Of Slurm and --submit-with {default}.",
                                                .range = RealRange{0.01, kMostMinutes}}),
      option(&SubmitRequest::seconds_per_point,
             {.name = "seconds-per-point",
              .value = "S",
              .help = "What a point takes (default the mean of those that are done, else 10).",
              .range = RealRange{1e-6, kMostMinutes}}),
      option(&SubmitRequest::at_once,
             {.name = "at-once",
              .value = "M",
              .help = "Tasks of an array that run at once, {range} {default}.",
              .range = WholeRange{1, cluster::kMostTasks}}),
      option(&SubmitRequest::waits,
             {"wait", '\0', "", "Of Slurm: wait until the array has ended."}),
      option(&SubmitRequest::command,
             {"submit-with", '\0', "COMMAND",
              "Run COMMAND for each task in place of an engine, {} standing for what it runs: "
              "'bsub -o log {}'."}),
      option(&SubmitRequest::memory, memory_option())};
}

}  // namespace

const Command& sweep_submit_command() {
  static const Command command = command_of<SubmitRequest>(
      {.name = "sweep submit",
       .summary = "Run the points of a sweep here, or hand them to a scheduler.",
       .usage = {"sweep submit RUN [--engine local] [--tasks N] [options]",
                 "sweep submit RUN --engine parallel|slurm [options] [-- OPTIONS]",
                 "sweep submit RUN --submit-with 'bsub {}' [options]"},
       .description =
           "Runs what has no answer yet: all points at first, later those that failed or were "
           "lost. Local and parallel wait for the end, Slurm and --submit-with do not (--wait, "
           "`sweep status`). Exits with 4 if some points failed or are left, with 1 if all failed.",
       .idle = {"seed", "effort", "time-limit"},
       .refuse = refuse_submit,
       .examples = {"waferloom sweep submit run",
                    "waferloom sweep submit run --tasks 2 --memory 2000"}},
      {run_operand<SubmitRequest>(), operand(&SubmitRequest::engine_words, engine_operand())},
      submit_options(), run_submit);
  return command;
}

}  // namespace waferloom::cli
