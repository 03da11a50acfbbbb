#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/sweep/sweep_options.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/report_target.h"
#include "cli/options/engine_options.h"
#include "cli/options/option_values.h"
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

double seconds_per_point(const cluster::SweepFolder& run, const Arguments& arguments) {
  if (arguments.has("seconds-per-point")) return real(arguments, "seconds-per-point");
  return mean_seconds(run).value_or(kUnknownSeconds);
}

std::uint64_t task_count(const cluster::SweepFolder& run, const Arguments& arguments,
                         const std::string& engine, std::uint64_t open) {
  const std::uint64_t most = engine == "slurm" ? cluster::most_slurm_tasks() : cluster::kMostTasks;
  if (arguments.has("tasks")) {
    const auto asked = whole<std::uint64_t>(arguments, "tasks");
    if (asked > most) {
      throw Failure(FailureKind::usage, "--tasks: this Slurm has arrays of at most " +
                                            std::to_string(most) + " tasks (MaxArraySize), found " +
                                            std::to_string(asked));
    }
    return std::min(asked, run.facts().points);
  }
  if (engine == "local" || engine == "parallel") {
    const auto cores = static_cast<std::uint64_t>(arguments.common().threads);
    return std::min(cores, run.facts().points);
  }
  return sweep::packed_tasks(
      {open, seconds_per_point(run, arguments), real(arguments, "minutes-per-task"), most});
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

int submit_main(const Arguments& arguments) {
  const CommonOptions& common = arguments.common();
  const std::string engine =
      arguments.has("submit-with") ? "" : arguments.text_or_default("engine");
  need_engine(engine);
  const cluster::SweepFolder run = sweep_folder(arguments);
  const ReportTarget report(common);
  run.remove_leftovers();
  const RunControl control = until_a_signal(run_control(common));
  cluster::PointCounts counts = cluster::count_whole_points(run, control);
  Progress progress(common);
  bool ended = true;
  std::uint64_t tasks = 0;
  const std::uint64_t open = counts.points - counts.answered();
  if (open > 0) {
    tasks = task_count(run, arguments, engine, open);
    cluster::Submission submission{.run = run,
                                   .program = cluster::own_program(),
                                   .extra = arguments.list(kEngineWords),
                                   .tasks = tasks,
                                   .quiet = common.quiet,
                                   .engine = engine,
                                   .at_once = whole<std::uint64_t>(arguments, "at-once"),
                                   .waits = arguments.has("wait")};
    if (arguments.has("memory")) submission.limits = {"--memory", arguments.text("memory")};
    if (arguments.has("submit-with")) submission.command = arguments.text("submit-with");
    ended = hand_over(submission, common, progress);
    counts = interrupted() ? cluster::count_points(run) : cluster::count_whole_points(run, control);
  }
  progress.finish();
  report.write(counts_report(run, counts));
  if (!report.on_stdout()) {
    write_stdout(run.path() + ": " + std::to_string(tasks) + " tasks; " + counts_text(counts) +
                 "\n");
  }
  throw_if_interrupted();
  return ended ? exit_code_of(counts) : 0;
}

std::vector<OptionSpec> submit_options() {
  return joined(
      {{{.name = "engine",
         .value = "NAME",
         .help = "What runs the tasks: {choices}.",
         .choices = {{"local", "all at once on this machine"},
                     {"parallel", "GNU parallel: this machine, or hosts over ssh"},
                     {"slurm", "an array of Slurm"}},
         .fallback = "local"},
        {.name = "tasks",
         .value = "N",
         .help =
             "Shares of the run, {range} (default a core each; of Slurm so many that each takes "
             "--minutes-per-task).",
         .range = WholeRange{1, cluster::kMostTasks}},
        {.name = "minutes-per-task",
         .value = "M",
         .help = "Of Slurm and --submit-with {default}.",
         .range = RealRange{0.01, kMostMinutes},
         .fallback = "10"},
        {.name = "seconds-per-point",
         .value = "S",
         .help = "What a point takes (default the mean of those that are done, else 10).",
         .range = RealRange{1e-6, kMostMinutes}},
        {.name = "at-once",
         .value = "M",
         .help = "Tasks of an array that run at once, {range} {default}.",
         .range = WholeRange{1, cluster::kMostTasks},
         .fallback = "100"},
        {"wait", '\0', "", "Of Slurm: wait until the array has ended."},
        {"submit-with", '\0', "COMMAND",
         "Run COMMAND for each task in place of an engine, {} standing for what it runs: "
         "'bsub -o log {}'."}},
       limit_options()});
}

}  // namespace

const Command& sweep_submit_command() {
  static const Command command{
      .name = "sweep submit",
      .summary = "Run the points of a sweep here, or hand them to a scheduler.",
      .usage = {"sweep submit RUN [--engine local] [--tasks N] [options]",
                "sweep submit RUN --engine parallel|slurm [options] [-- OPTIONS]",
                "sweep submit RUN --submit-with 'bsub {}' [options]"},
      .description =
          "Runs what has no answer yet: all points at first, later those that failed or were "
          "lost. Local and parallel wait for the end, Slurm and --submit-with do not (--wait, "
          "`sweep status`). Exits with 4 if some points failed or are left, with 1 if all failed.",
      .operands = {{"RUN", "The folder that `sweep plan` made."}, engine_operand()},
      .options = submit_options(),
      .idle = {"seed", "effort", "time-limit"},
      .refuse = refuse_submit,
      .examples = {"waferloom sweep submit run",
                   "waferloom sweep submit run --tasks 2 --memory 2000"},
      .run = submit_main};
  return command;
}

}  // namespace waferloom::cli
