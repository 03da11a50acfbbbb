#include "cluster/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <sstream>
#include <thread>

#include "cluster/folder/own_file.h"
#include "cluster/output_file.h"
#include "cluster/processes.h"
#include "cluster/task_array.h"
#include "model/errors.h"
#include "sweep/schedule.h"

namespace waferloom::cluster {
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

/// Numbers of the jobs that the queue has. Asking for them by number would be an error for a job
/// that Slurm has forgotten, and their name is the user's to change.
std::set<std::string> queued_jobs() {
  std::istringstream lines(output_of({"squeue", "--noheader", "--format=%F", "--me"}));
  std::set<std::string> known;
  for (std::string line; lines >> line;) known.insert(line);
  return known;
}

/// A path in which Slurm is to see no pattern.
std::string without_patterns(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

/// Whether Slurm still has any of these jobs, waiting or running.
bool slurm_knows(const std::vector<std::string>& jobs) {
  const std::set<std::string> known = queued_jobs();
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const std::string& job) { return known.contains(job); });
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
      fmt::format("--array={}%{}", sweep::array_text(tasks.tasks), array.at_once),
      "--output=" + without_patterns(tasks.folder) + "/" + array.name + "-%A_%a.out"};
  if (!array.behind.empty()) words.push_back("--dependency=afterany:" + array.behind);
  words.insert(words.end(), tasks.extra.begin(), tasks.extra.end());
  words.push_back(script);
  std::string job = output_of(words);
  job = job.substr(0, job.find_first_of(";\n"));
  const std::string jobs = tasks.folder + kJobs;
  OutputFile(jobs).write(own_file_text(jobs) + job + " " + array.name + "\n");
  return job;
}

std::uint64_t most_slurm_tasks() {
  auto values = sweep::config_values(output_of({"scontrol", "show", "config"}));
  const std::string& size = values["MaxArraySize"];
  const std::uint64_t most = std::strtoull(size.c_str(), nullptr, 10);
  if (most == 0) throw InputError("scontrol show config", kWholeSource, "found no MaxArraySize");
  return most;
}

std::vector<SlurmJob> living_slurm_jobs(const std::string& folder) {
  std::vector<SlurmJob> jobs;
  std::istringstream lines(own_file_text(folder + kJobs));
  for (SlurmJob job; lines >> job.number >> job.name;) jobs.push_back(job);
  if (jobs.empty() || !is_installed("squeue")) return {};
  const std::set<std::string> known = queued_jobs();
  std::erase_if(jobs, [&](const SlurmJob& job) { return !known.contains(job.number); });
  return jobs;
}

void cancel_slurm_jobs(const std::vector<std::string>& jobs) {
  if (jobs.empty() || !slurm_knows(jobs)) return;
  std::vector<std::string> words{"scancel"};
  words.insert(words.end(), jobs.begin(), jobs.end());
  // It ends by itself, also after a signal to this program.
  const int code = run_and_wait(words, RunControl{});
  // A job that ended by itself meanwhile is no failure.
  if (code == 0 || !slurm_knows(jobs)) return;
  throw EngineError(fmt::format("scancel failed with exit code {}; Slurm still has jobs of `{}`",
                                code, shell_line(words)));
}

void wait_for_slurm(const std::vector<std::string>& jobs, const RunControl& control,
                    const std::function<void()>& tell) {
  int silent = 0;
  while (true) {
    tell();
    control.end_if_cut();
    try {
      if (!slurm_knows(jobs)) return;
      silent = 0;
    } catch (const EngineError&) {
      control.end_if_cut();
      if (++silent > kMostSilent) throw;
    }
    for (int i = 0; i < kPausesPerQuestion; ++i) {
      control.end_if_cut();
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace waferloom::cluster
