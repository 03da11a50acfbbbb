#pragma once

#include <cstdint>
#include <optional>

#include "cluster/submission.h"
#include "cluster/task.h"
#include "model/report.h"
#include "sweep/manifest.h"

namespace waferloom::cli {

/// A report of schema waferloom/sweep_plan/1, of a run of so many points.
Report sweep_plan_report(const sweep::RunFacts& facts, std::uint64_t points);
std::string sweep_plan_schema();

/// What works on a run, and what it takes.
struct RunningFigures {
  std::uint64_t tasks = 0;
  std::optional<double> mean_point_s{};  ///< nothing before a point is done
  std::optional<double> estimate_s{};    ///< to go; nothing if nothing runs
};

/// A report of schema waferloom/sweep_status/1. Only `sweep status` says what runs.
Report sweep_status_report(const sweep::RunFacts& facts, const cluster::PointCounts& counts,
                           const std::optional<RunningFigures>& running = std::nullopt);
std::string sweep_status_schema();

/// A report of schema waferloom/sweep_cancel/1.
Report sweep_cancel_report(const cluster::CancelledRun& cancelled);
std::string sweep_cancel_schema();

}  // namespace waferloom::cli
