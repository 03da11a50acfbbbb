#pragma once

#include <cstdint>
#include <string>

#include "cluster/point_process.h"
#include "cluster/sweep_folder.h"
#include "model/report.h"
#include "model/run_control.h"
#include "sweep/results.h"

namespace waferloom::cluster {

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

/// A report of schema waferloom/sweep_status/1, without what runs.
Json counts_report(const SweepFolder& run, const PointCounts& counts);

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
