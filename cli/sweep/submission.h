#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/sweep/run_folder.h"
#include "cluster/task_array.h"
#include "model/run_control.h"

namespace waferloom::cli {

/// A run on its way to an engine.
struct Submission {
  const RunFolder& run;
  std::string program;              ///< this program's file
  std::vector<std::string> limits;  ///< options of `sweep exec` beside --task
  std::vector<std::string> extra;   ///< words for the engine, behind --
  std::uint64_t tasks = 1;          ///< that the run is cut into
  bool quiet = false;               ///< what tasks print is not wanted
};

/// The words that run a task: PROGRAM sweep exec RUN --task TASK/TASKS …, both names absolute;
/// `task` may be a placeholder.
std::vector<std::string> exec_words(const Submission& submission, const std::string& task);

/// Some of the tasks for an engine. The submission has to live longer.
cluster::TaskArray task_array(const Submission& submission, std::vector<std::uint64_t> tasks);

/// Numbers of the tasks, of so many, that have points without an answer.
std::vector<std::uint64_t> unfinished_tasks(const RunFolder& run, std::uint64_t tasks,
                                            const RunControl& control);

/// Runs all tasks at once on this machine, a process each, and waits. The control hears of answers;
/// a cut is handed on to all of them.
void submit_locally(const Submission& submission, const RunControl& control);

/// Hands the tasks to GNU parallel, which keeps a log of jobs in the run folder, and waits. Tasks
/// with points left are run again, whatever the log says of them.
void submit_to_parallel(const Submission& submission, const RunControl& control);

/// Runs a command of the user's in a shell for each unfinished task, {} standing for the words that
/// run the task, each quoted where a shell needs it. Throws EngineError where the command fails.
void submit_with(const Submission& submission, const std::string& command,
                 const RunControl& control);

}  // namespace waferloom::cli
