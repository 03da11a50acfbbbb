#pragma once

#include <cstdint>
#include <functional>
#include <string>
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

/// A job that was submitted.
struct SlurmJob {
  std::string number;
  std::string name;  ///< SlurmArray::name
};

/// Those jobs that were submitted from an engine's folder which Slurm still has; none where there
/// is no Slurm.
std::vector<SlurmJob> living_slurm_jobs(const std::string& folder);

/// Cancels those jobs that Slurm still has, in their order. Throws EngineError if scancel fails and
/// Slurm still has one of them.
void cancel_slurm_jobs(const std::vector<std::string>& jobs);

/// Waits until Slurm has none of these jobs any more. Asks at most once in two seconds, and calls
/// `tell` before. A controller may not answer for a while, as when it is started again: that is
/// borne ten times in a row. Throws EngineError after that, and RunCut.
void wait_for_slurm(const std::vector<std::string>& jobs, const RunControl& control,
                    const std::function<void()>& tell);

}  // namespace waferloom::cluster
