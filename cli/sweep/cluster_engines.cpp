#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/files/output_file.h"
#include "cli/sweep/engines.h"
#include "sweep/schedule.h"

// Problem: hand the tasks of a run to what others have written for it.
// Idea: an engine gets command lines of `sweep exec` and nothing else; what has been done is in the
// run folder alone, so that no engine's own record has to be right.
namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJobs = "engine/slurm_jobs.txt";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Takes from parallel's log the jobs whose tasks have points left.
void forget_unfinished(const std::string& log, const RunFolder& run, std::uint64_t tasks) {
  if (!fs::exists(log)) return;
  OutputFile(log).write(sweep::without_jobs(text_of(log), unfinished_tasks(run, tasks)));
}

/// What every node runs; the number of the task is Slurm's.
std::string batch_script(const Submission& submission) {
  const std::string task = "waferloom_task/" + std::to_string(submission.tasks);
  std::string line = shell_line(exec_words(submission, task));
  const std::string word = "waferloom_task";
  line.replace(line.rfind(word), word.size(), "\"$SLURM_ARRAY_TASK_ID\"");
  return "#!/bin/sh\n# Written by waferloom sweep submit.\nexec " + line + "\n";
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder += "/" + program;
    if (access(folder.c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Those of the jobs that the queue has. Asking for them by number would be an error for a job that
/// Slurm has forgotten, and their name is the user's to change.
std::vector<std::string> known_to_slurm(const std::vector<std::string>& jobs) {
  std::istringstream lines(output_of({"squeue", "--noheader", "--format=%F", "--me"}));
  std::set<std::string> known;
  for (std::string line; lines >> line;) known.insert(line);
  std::vector<std::string> found;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(found),
               [&](const std::string& job) { return known.contains(job); });
  return found;
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

void need_program(const std::string& engine, const std::string& program) {
  if (is_installed(program)) return;
  throw Failure(FailureKind::usage,
                "--engine " + engine + ": there is no program " + program +
                    " here; scripts/install_dependencies.sh cluster installs it");
}

std::vector<std::uint64_t> unfinished_tasks(const RunFolder& run, std::uint64_t tasks) {
  std::vector<bool> unfinished(tasks, false);
  run.for_each_point([&](const sweep::Point& point) {
    throw_if_interrupted();
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

void submit_to_parallel(const Submission& submission) {
  const std::string tasks = std::to_string(submission.tasks);
  const std::string log = submission.run.file("engine/parallel." + tasks + ".log");
  forget_unfinished(log, submission.run, submission.tasks);
  std::vector<std::string> words{"parallel", "--will-cite", "--joblog", log, "--resume-failed"};
  words.insert(words.end(), submission.extra.begin(), submission.extra.end());
  // parallel joins the words of a command with blanks, and hands the line to a shell.
  words.push_back(shell_line(exec_words(submission, "{}/" + tasks)));
  words.emplace_back(":::");
  for (std::uint64_t k = 0; k < submission.tasks; ++k) words.push_back(std::to_string(k));
  run_and_wait(words);  // its exit code counts tasks; the run folder knows the points
}

std::uint64_t most_slurm_tasks() {
  const std::string text = output_of({"scontrol", "show", "config"});
  const std::string size = sweep::config_value(text, "MaxArraySize");
  const std::uint64_t most = std::strtoull(size.c_str(), nullptr, 10);
  if (most == 0) throw Failure(FailureKind::input, "scontrol show config: found no MaxArraySize");
  return most;
}

std::string submit_to_slurm(const Submission& submission, std::uint64_t at_once) {
  const std::vector<std::uint64_t> tasks = unfinished_tasks(submission.run, submission.tasks);
  const std::string script = submission.run.absolute("engine/slurm.sh");
  OutputFile(script).write(batch_script(submission));
  std::vector<std::string> words{
      "sbatch",
      "--parsable",
      "--requeue",
      "--job-name=waferloom",
      "--array=" + sweep::array_text(tasks) + "%" + std::to_string(at_once),
      "--output=" + submission.run.absolute("engine/slurm-%A_%a.out")};
  words.insert(words.end(), submission.extra.begin(), submission.extra.end());
  words.push_back(script);
  std::string job = output_of(words);
  job = job.substr(0, job.find_first_of(";\n"));
  const std::string jobs = submission.run.file(kJobs);
  OutputFile(jobs).write(text_of(jobs) + job + "\n");
  return job;
}

bool slurm_knows(const std::vector<std::string>& jobs) { return !known_to_slurm(jobs).empty(); }

std::vector<std::string> living_slurm_jobs(const RunFolder& run) {
  std::vector<std::string> jobs;
  std::istringstream lines(text_of(run.file(kJobs)));
  for (std::string line; std::getline(lines, line);) jobs.push_back(line);
  if (jobs.empty() || !is_installed("squeue")) return {};
  return known_to_slurm(jobs);
}

void submit_with(const Submission& submission, const std::string& command) {
  for (const std::uint64_t task : unfinished_tasks(submission.run, submission.tasks)) {
    const std::string part = std::to_string(task) + "/" + std::to_string(submission.tasks);
    const std::string line = with_task(command, shell_line(exec_words(submission, part)));
    const int code = run_and_wait({"/bin/sh", "-c", line});
    throw_if_interrupted();
    if (code != 0) {
      throw Failure(FailureKind::input,
                    "--submit-with: exit code " + std::to_string(code) + " of `" + line + "`");
    }
  }
}

}  // namespace waferloom::cli
