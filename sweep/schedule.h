#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::sweep {

/// Points that are packed into tasks of a scheduler.
struct TaskPacking {
  std::uint64_t points = 0;
  double seconds_per_point = 1;
  double minutes = 10;     ///< that a task is to take
  std::uint64_t most = 1;  ///< tasks that the scheduler takes
};
/// How many tasks a scheduler gets: as many as make each of them about `minutes` long, at least
/// one, at most `most` and a task a point. A scheduler's controller pays for tasks, not for points.
std::uint64_t packed_tasks(const TaskPacking& packing);

/// Ascending numbers as an array of Slurm: "0-3,7".
std::string array_text(const std::vector<std::uint64_t>& tasks);

/// The values by key of what `scontrol show config` prints: lines as "MaxArraySize = 1001". Of
/// equal keys the first counts.
std::map<std::string, std::string> config_values(std::string_view text);

/// The lines of a log of GNU parallel but those of the jobs of some tasks, so that --resume-failed
/// runs these again. Job i + 1 is task i.
std::string without_jobs(std::string_view log, const std::vector<std::uint64_t>& tasks);

}  // namespace waferloom::sweep
