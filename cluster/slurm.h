#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/task_array.h"
#include "model/run_control.h"

namespace waferloom::cluster {

/// What an array of Slurm is besides its tasks.
struct SlurmArray {
  std::string name = "slurm";   ///< of its script
  std::uint64_t at_once = 100;  ///< tasks that run at the same time
  std::string behind{};         ///< a job that has to end first, however it ends
};

/// Submits an array, and does not wait. Returns the number of the job, which the engine's folder
/// keeps for living_slurm_jobs. Throws EngineError if sbatch refuses, InputError for what cannot be
/// written.
std::string submit_to_slurm(const TaskArray& tasks, const SlurmArray& array);

/// The most tasks that an array of Slurm may have here (MaxArraySize).
std::uint64_t most_slurm_tasks();

/// Whether Slurm still has any of these jobs, waiting or running.
bool slurm_knows(const std::vector<std::string>& jobs);

/// A job that was submitted.
struct SlurmJob {
  std::string number;
  std::string name;  ///< SlurmArray::name
};

/// Those jobs that were submitted from an engine's folder which Slurm still has; none where there
/// is no Slurm.
std::vector<SlurmJob> living_slurm_jobs(const std::string& folder);

/// Cancels jobs, in their order. Throws EngineError if scancel fails and Slurm still has one of
/// them.
void cancel_slurm_jobs(const std::vector<std::string>& jobs);

/// Waits for jobs. A controller may not answer for a while, as when it is started again: that is
/// borne ten times in a row.
class SlurmWatch {
 public:
  /// The control has to live longer.
  SlurmWatch(std::vector<std::string> jobs, const RunControl& control)
      : jobs_(std::move(jobs)), control_(control) {}
  /// Asks Slurm, at most once in two seconds, and sleeps until then. Whether any job is still
  /// there. Throws EngineError after too many questions without an answer, and RunCut.
  bool still_runs();

 private:
  bool ask();

  std::vector<std::string> jobs_;
  const RunControl& control_;
  int silent_ = 0;
  bool asked_ = false;
};

}  // namespace waferloom::cluster
