#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/run_folder.h"
#include "cluster/sweep_folder.h"
#include "cluster/task_array.h"
#include "model/run_control.h"

namespace waferloom::cluster {

/// A run on its way to an engine.
struct Submission {
  const SweepFolder& run;
  std::string program;                ///< this program's file
  std::vector<std::string> limits{};  ///< options of `sweep exec` beside --task
  std::vector<std::string> extra{};   ///< words for the engine, behind --
  std::uint64_t tasks = 1;            ///< that the run is cut into
  bool quiet = false;                 ///< what tasks print is not wanted
  std::string engine = "local";       ///< "local", "parallel" or "slurm"
  /// In place of an engine: run in a shell for each unfinished task, {} standing for the words that
  /// run the task, each quoted where a shell needs it.
  std::string command{};
  std::uint64_t at_once = 1;  ///< of Slurm: tasks that run at the same time
  bool waits = false;         ///< of Slurm: until the array has ended
};

/// Hands the tasks over: to processes of this machine or to GNU parallel all of them, else those
/// with points left. Whether all have ended: here and on parallel always, on Slurm if it waits. A
/// cut is handed on to tasks that run here. The control hears of points, `note` of jobs. Throws
/// EngineError for an engine or a command that fails, InputError for what cannot be written,
/// RunCut.
bool submit(const Submission& submission, const RunControl& control, const Note& note);

/// What was asked to stop.
struct CancelledRun {
  std::vector<std::string> slurm_jobs{};
  std::size_t stopped = 0;    ///< processes of this machine
  std::size_t elsewhere = 0;  ///< those of others, left alone
};

/// Stops what works on a run: processes of this machine by SIGTERM, and all jobs of Slurm. Throws
/// EngineError if Slurm keeps one.
CancelledRun cancel(const RunFolder& run);

}  // namespace waferloom::cluster
