#include "cluster/submission.h"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <numeric>
#include <thread>

#include "cluster/engines/parallel.h"
#include "cluster/folder/own_file.h"
#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"
#include "cluster/processes.h"
#include "cluster/run_folder.h"
#include "cluster/slurm.h"
#include "cluster/task.h"
#include "cluster/task_array.h"
#include "sweep/schedule.h"

namespace waferloom::cluster {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr int kTicksPerCount = 20;

/// The words that run a task: PROGRAM sweep exec RUN --task TASK/TASKS …, both names absolute;
/// `task` may be a placeholder.
std::vector<std::string> exec_words(const Submission& submission, const std::string& task) {
  std::vector<std::string> words{
      submission.program,          "sweep",  "exec",
      submission.run.absolute(""), "--task", fmt::format("{}/{}", task, submission.tasks)};
  words.insert(words.end(), submission.limits.begin(), submission.limits.end());
  return words;
}

/// Some of the tasks for an engine. The submission has to live longer.
TaskArray task_array(const Submission& submission, std::vector<std::uint64_t> tasks) {
  TaskArray array;
  array.folder = submission.run.absolute("engine");
  array.tasks = std::move(tasks);
  array.words = [&submission](const std::string& task) { return exec_words(submission, task); };
  array.extra = submission.extra;
  array.quiet = submission.quiet;
  return array;
}

/// Numbers of the tasks that have points without an answer.
std::vector<std::uint64_t> unfinished_tasks(const Submission& submission,
                                            const RunControl& control) {
  const std::uint64_t tasks = submission.tasks;
  std::vector<bool> unfinished(tasks, false);
  submission.run.for_each_point([&](const sweep::Point& point) {
    control.end_if_cut();
    const auto status = submission.run.status(point.id);
    if (!status || *status == sweep::PointStatus::failed) unfinished[point.index % tasks] = true;
    return true;
  });
  std::vector<std::uint64_t> found;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    if (unfinished[task]) found.push_back(task);
  }
  return found;
}

/// Takes from parallel's log the jobs whose tasks have points left.
void forget_unfinished(const std::string& log, const Submission& submission,
                       const RunControl& control) {
  const std::string text = own_file_text(log);
  if (text.empty()) return;
  OutputFile(log).write(sweep::without_jobs(text, unfinished_tasks(submission, control)));
}

/// The submission's command with `task` for every {}.
std::string with_task(const Submission& submission, const std::string& task) {
  const std::string& command = submission.command;
  std::string line;
  std::size_t begin = 0;
  for (std::size_t at = command.find("{}"); at != std::string::npos;
       at = command.find("{}", begin)) {
    line += command.substr(begin, at - begin);
    line += task;
    begin = at + 2;
  }
  return line + command.substr(begin);
}

/// Runs all tasks at once, a process each, and waits.
void submit_locally(const Submission& submission, const RunControl& control) {
  std::vector<pid_t> children;
  bool told = false;
  for (std::uint64_t k = 0; k < submission.tasks; ++k) {
    children.push_back(start_program(exec_words(submission, std::to_string(k)), -1));
  }
  for (int tick = 0; !children.empty(); ++tick) {
    if (!told && control.is_cut()) {
      for (const pid_t child : children) kill(child, SIGTERM);
      told = true;
    }
    std::erase_if(children, [](pid_t child) {
      int ignored = 0;
      return has_ended(child, &ignored);
    });
    if (tick % kTicksPerCount == kTicksPerCount - 1) {
      const PointCounts counts = count_points(submission.run);
      control.tell({points_text(counts), ""});
    }
    if (!children.empty()) std::this_thread::sleep_for(kTick);
  }
}

/// Hands all tasks to GNU parallel, which keeps a log of jobs in the run folder, and waits. Tasks
/// with points left are run again, whatever the log says of them.
void submit_to_parallel(const Submission& submission, const RunControl& control) {
  const std::string log =
      submission.run.file(fmt::format("engine/parallel.{}.log", submission.tasks));
  forget_unfinished(log, submission, control);
  std::vector<std::uint64_t> all(submission.tasks);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  TaskArray array = task_array(submission, std::move(all));
  array.extra = {"--joblog", log, "--resume-failed"};
  array.extra.insert(array.extra.end(), submission.extra.begin(), submission.extra.end());
  run_by_parallel(array, control);
}

void submit_with(const Submission& submission, const RunControl& control) {
  for (const std::uint64_t task : unfinished_tasks(submission, control)) {
    const std::string words = shell_line(exec_words(submission, std::to_string(task)));
    const std::string line = with_task(submission, words);
    const int code = run_and_wait({"/bin/sh", "-c", line}, control);
    control.end_if_cut();
    if (code != 0) {
      throw EngineError(fmt::format("exit code {} of `{}`", code, line));
    }
  }
}

void submit_an_array(const Submission& submission, const RunControl& control, const Note& note) {
  const TaskArray tasks = task_array(submission, unfinished_tasks(submission, control));
  const std::string job = submit_to_slurm(tasks, {"slurm", submission.at_once});
  note("job " + job + " of Slurm");
  if (!submission.waits) return;
  wait_for_slurm({job}, control, [&] {
    control.tell({points_text(count_points(submission.run)), ""});
  });
}

/// Asks the processes of this machine to stop: engines first, or they would start the next task.
std::size_t stop_here(const std::vector<RunningProcess>& running) {
  std::size_t stopped = 0;
  for (const char* what : {"submit", "task"}) {
    for (const RunningProcess& process : running) {
      if (process.what != what || process.host != host_name()) continue;
      if (kill(process.pid, SIGTERM) == 0) ++stopped;
    }
  }
  return stopped;
}

}  // namespace

bool submit(const Submission& submission, const RunControl& control, const Note& note) {
  if (!submission.command.empty()) {
    submit_with(submission, control);
    return false;
  }
  if (submission.engine == "slurm") {
    submit_an_array(submission, control, note);
    return submission.waits;
  }
  const RunningFile running(submission.run, "submit");
  if (submission.engine == "parallel") {
    submit_to_parallel(submission, control);
  } else {
    submit_locally(submission, control);
  }
  return true;
}

CancelledRun cancel(const RunFolder& run) {
  CancelledRun cancelled;
  for (const SlurmJob& job : living_slurm_jobs(run.file("engine"))) {
    cancelled.slurm_jobs.push_back(job.number);
  }
  const std::vector<RunningProcess> running = running_processes(run);
  cancelled.stopped = stop_here(running);
  cancelled.elsewhere = running.size() - cancelled.stopped;
  cancel_slurm_jobs(cancelled.slurm_jobs);
  return cancelled;
}

}  // namespace waferloom::cluster
