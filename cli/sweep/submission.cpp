#include "cli/sweep/submission.h"

#include <numeric>

#include "cluster/engine_error.h"
#include "cluster/output_file.h"
#include "cluster/own_file.h"
#include "cluster/parallel.h"
#include "cluster/processes.h"
#include "sweep/schedule.h"

namespace waferloom::cli {
namespace {

/// Takes from parallel's log the jobs whose tasks have points left.
void forget_unfinished(const std::string& log, const RunFolder& run, std::uint64_t tasks,
                       const RunControl& control) {
  const std::string text = cluster::own_file_text(log);
  if (text.empty()) return;
  cluster::OutputFile(log).write(sweep::without_jobs(text, unfinished_tasks(run, tasks, control)));
}

/// The command with `task` for every {}.
std::string with_task(const std::string& command, const std::string& task) {
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

}  // namespace

std::vector<std::string> exec_words(const Submission& submission, const std::string& task) {
  std::vector<std::string> words{
      submission.program,          "sweep",  "exec",
      submission.run.absolute(""), "--task", task + "/" + std::to_string(submission.tasks)};
  words.insert(words.end(), submission.limits.begin(), submission.limits.end());
  return words;
}

cluster::TaskArray task_array(const Submission& submission, std::vector<std::uint64_t> tasks) {
  cluster::TaskArray array;
  array.folder = submission.run.absolute("engine");
  array.tasks = std::move(tasks);
  array.words = [&submission](const std::string& task) { return exec_words(submission, task); };
  array.extra = submission.extra;
  array.quiet = submission.quiet;
  return array;
}

std::vector<std::uint64_t> unfinished_tasks(const RunFolder& run, std::uint64_t tasks,
                                            const RunControl& control) {
  std::vector<bool> unfinished(tasks, false);
  run.for_each_point([&](const sweep::Point& point) {
    control.end_if_cut();
    const auto status = run.status(point.id);
    if (!status || *status == sweep::PointStatus::failed) unfinished[point.index % tasks] = true;
    return true;
  });
  std::vector<std::uint64_t> found;
  for (std::uint64_t task = 0; task < tasks; ++task) {
    if (unfinished[task]) found.push_back(task);
  }
  return found;
}

void submit_to_parallel(const Submission& submission, const RunControl& control) {
  const std::string log =
      submission.run.file("engine/parallel." + std::to_string(submission.tasks) + ".log");
  forget_unfinished(log, submission.run, submission.tasks, control);
  std::vector<std::uint64_t> all(submission.tasks);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  cluster::TaskArray array = task_array(submission, std::move(all));
  array.extra = {"--joblog", log, "--resume-failed"};
  array.extra.insert(array.extra.end(), submission.extra.begin(), submission.extra.end());
  cluster::run_by_parallel(array, control);
}

void submit_with(const Submission& submission, const std::string& command,
                 const RunControl& control) {
  for (const std::uint64_t task : unfinished_tasks(submission.run, submission.tasks, control)) {
    const std::string words = cluster::shell_line(exec_words(submission, std::to_string(task)));
    const std::string line = with_task(command, words);
    const int code = cluster::run_and_wait({"/bin/sh", "-c", line}, control);
    control.end_if_cut();
    if (code != 0) {
      throw cluster::EngineError("exit code " + std::to_string(code) + " of `" + line + "`");
    }
  }
}

}  // namespace waferloom::cli
