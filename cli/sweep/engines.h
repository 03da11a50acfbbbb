#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console/progress.h"
#include "cli/sweep/run_folder.h"

namespace waferloom::cli {

/// What every engine gets.
struct Submission {
  const RunFolder& run;
  std::string program;              ///< this program's file
  std::vector<std::string> limits;  ///< options of `sweep exec` beside --task
  std::vector<std::string> extra;   ///< words for the engine, behind --
  std::uint64_t tasks = 1;
};

/// The words that run a task: PROGRAM sweep exec RUN --task PART …, both names absolute, for a
/// scheduler may run it in another folder; `part` may be a placeholder.
std::vector<std::string> exec_words(const Submission& submission, const std::string& part);

/// Words as one line for a shell, quoted where they need it.
std::string shell_line(const std::vector<std::string>& words);

/// The file of this program. Throws Failure::internal if the system does not tell.
std::string own_program();

/// Runs all tasks at once on this machine, a process each, and waits. Progress counts answers. A
/// signal is handed on to all of them.
void submit_locally(const Submission& submission, Progress& progress);

/// Runs a program and waits for it; a signal is handed on. Its stdout goes to stderr. Returns its
/// exit code, 128 + signal where a signal ended it.
int run_and_wait(const std::vector<std::string>& words);

/// The output of a program that worked. Throws Failure::input with what it said on stderr's behalf
/// if it did not: that went to stderr already.
std::string output_of(const std::vector<std::string>& words);

/// Throws Failure::usage if a program that an engine needs is not in PATH.
void need_program(const std::string& engine, const std::string& program);

/// Numbers of the tasks, of so many, that have points without an answer.
std::vector<std::uint64_t> unfinished_tasks(const RunFolder& run, std::uint64_t tasks);

/// Hands the tasks to GNU parallel, which keeps a log of jobs in the run folder, and waits. Tasks
/// with points left are run again, whatever the log says of them.
void submit_to_parallel(const Submission& submission);

/// Hands the unfinished tasks to Slurm as an array, `at_once` of them at a time; does not wait.
/// Returns the number of the job, which the run folder keeps for `sweep cancel`.
std::string submit_to_slurm(const Submission& submission, std::uint64_t at_once);
/// The most tasks that an array of Slurm may have here (MaxArraySize).
std::uint64_t most_slurm_tasks();
/// Whether Slurm still has any of these jobs, waiting or running.
bool slurm_knows(const std::vector<std::string>& jobs);
/// Those jobs that were submitted for a run which Slurm still has; none where there is no Slurm.
std::vector<std::string> living_slurm_jobs(const RunFolder& run);

/// Runs a command of the user's in a shell for each unfinished task, {} standing for the words that
/// run the task, each quoted where a shell needs it.
void submit_with(const Submission& submission, const std::string& command);

}  // namespace waferloom::cli
