#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cluster/sweep_folder.h"
#include "model/run_control.h"
#include "sweep/points.h"
#include "sweep/results.h"

namespace waferloom::cluster {

/// What a point may take.
struct PointLimits {
  std::int64_t memory_bytes = 0;  ///< of data (RLIMIT_DATA); 0: no limit
};

/// Runs a command line, whose report goes to an open descriptor; answers the exit code.
using PointProgram = std::function<int(const std::vector<std::string>& words, int report)>;

/// Where a point runs.
struct PointPlace {
  std::string folder;      ///< the run folder, its working folder
  std::string scratch;     ///< for files that a command has to write and nobody wants
  PointProgram program{};  ///< runs its command line
};

/// Stands for PointPlace::scratch in the command line of a point.
inline constexpr const char* kScratch = "{scratch}";

/// Whether the command line of a point has it.
bool needs_scratch(const sweep::Point& point);

/// Runs a point in a child of this process, which is a copy of it: nothing is loaded anew. Its
/// working folder is the run folder; it uses one thread. A cut is handed on as SIGTERM, and the
/// child ends with its parent however that ends. Call it from a process of one thread.
sweep::PointOutcome run_point(const sweep::Point& point, const PointPlace& place,
                              const PointLimits& limits, const RunControl& control);

/// Tasks that a run may be cut into.
inline constexpr std::uint64_t kMostTasks = 1'000'000;

/// A share of a run: the points whose index is `part` modulo `parts`.
struct TaskPart {
  std::uint64_t part = 0;
  std::uint64_t parts = 1;
};

/// What a task, or a run, has come to.
struct PointCounts {
  std::uint64_t points = 0;
  std::uint64_t done = 0;
  std::uint64_t infeasible = 0;
  std::uint64_t failed = 0;
  std::uint64_t already = 0;  ///< of the answers: that were there before

  std::uint64_t answered() const { return done + infeasible; }
  std::uint64_t left() const { return points - answered() - failed; }
  void add(sweep::PointStatus status);
};

/// "12 of 40 points": those that have a result.
std::string points_text(const PointCounts& counts);

/// Runs the points of a part that have no answer yet by `program`, one behind the other. After a
/// cut the point at hand counts only if it ended by itself; the rest is left. Throws InputError for
/// what cannot be written.
PointCounts run_task(const SweepFolder& run, const TaskPart& part, const PointLimits& limits,
                     const PointProgram& program, const RunControl& control);

/// Counts all points by their files that are whole; a power failure may have cut some. Opens up to
/// three files a point.
PointCounts count_whole_points(const SweepFolder& run, const RunControl& control);

/// Counts all points by the names of their files. O(points + files); 80 bytes of memory a result.
PointCounts count_points(const SweepFolder& run);

}  // namespace waferloom::cluster
