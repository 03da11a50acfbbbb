#include "cli/engines/slurm.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>
#include <thread>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/engines/processes.h"
#include "cli/files/output_file.h"
#include "cli/files/own_file.h"
#include "sweep/schedule.h"

namespace waferloom::cli {
namespace {

constexpr const char* kJobs = "/slurm_jobs.txt";
constexpr int kMostSilent = 10;
constexpr int kPausesPerQuestion = 4;
constexpr std::chrono::milliseconds kPause{500};

/// What every node runs; the number of the task is Slurm's.
std::string batch_script(const TaskArray& tasks) {
  const std::string word = "waferloom_task";
  std::string line = shell_line(tasks.words(word));
  line.replace(line.rfind(word), word.size(), "\"$SLURM_ARRAY_TASK_ID\"");
  const std::string folder =
      tasks.work_folder.empty() ? "" : "cd " + shell_line({tasks.work_folder}) + " || exit\n";
  return "#!/bin/sh\n# Written by waferloom.\n" + folder + "exec " + line + "\n";
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

}  // namespace

std::string submit_to_slurm(const TaskArray& tasks, const SlurmArray& array) {
  const std::string script = tasks.folder + "/" + array.name + ".sh";
  OutputFile(script).write(batch_script(tasks));
  std::vector<std::string> words{
      "sbatch",
      "--parsable",
      "--requeue",
      "--job-name=waferloom",
      "--array=" + sweep::array_text(tasks.tasks) + "%" + std::to_string(array.at_once),
      "--output=" + tasks.folder + "/" + array.name + "-%A_%a.out"};
  if (!array.behind.empty()) words.push_back("--dependency=afterany:" + array.behind);
  words.insert(words.end(), tasks.extra.begin(), tasks.extra.end());
  words.push_back(script);
  std::string job = output_of(words);
  job = job.substr(0, job.find_first_of(";\n"));
  const std::string jobs = tasks.folder + kJobs;
  OutputFile(jobs).write(own_file_text(jobs) + job + "\n");
  return job;
}

std::uint64_t most_slurm_tasks() {
  const std::string text = output_of({"scontrol", "show", "config"});
  const std::string size = sweep::config_value(text, "MaxArraySize");
  const std::uint64_t most = std::strtoull(size.c_str(), nullptr, 10);
  if (most == 0) throw Failure(FailureKind::input, "scontrol show config: found no MaxArraySize");
  return most;
}

bool slurm_knows(const std::vector<std::string>& jobs) { return !known_to_slurm(jobs).empty(); }

std::vector<std::string> living_slurm_jobs(const std::string& folder) {
  std::vector<std::string> jobs;
  std::istringstream lines(own_file_text(folder + kJobs));
  for (std::string line; std::getline(lines, line);) jobs.push_back(line);
  if (jobs.empty() || !is_installed("squeue")) return {};
  return known_to_slurm(jobs);
}

void cancel_slurm_jobs(const std::vector<std::string>& jobs) {
  if (jobs.empty()) return;
  std::vector<std::string> words{"scancel"};
  words.insert(words.end(), jobs.begin(), jobs.end());
  const int code = run_and_wait(words, {.hands_on_signals = false});
  // A job that ended by itself meanwhile is no failure.
  if (code == 0 || !slurm_knows(jobs)) return;
  throw Failure(FailureKind::input, "scancel failed with exit code " + std::to_string(code) +
                                        "; Slurm still has jobs of `" + shell_line(words) + "`");
}

bool SlurmWatch::still_runs() {
  for (int i = 0; asked_ && i < kPausesPerQuestion; ++i) {
    throw_if_interrupted();
    std::this_thread::sleep_for(kPause);
  }
  throw_if_interrupted();
  asked_ = true;
  return ask();
}

bool SlurmWatch::ask() {
  try {
    const bool knows = slurm_knows(jobs_);
    silent_ = 0;
    return knows;
  } catch (const Failure&) {
    throw_if_interrupted();
    if (++silent_ > kMostSilent) throw;
    return true;
  }
}

}  // namespace waferloom::cli
