#include "cli/commands/sweep/sweep_reports.h"

#include "model/describe.h"

namespace waferloom::cli {
namespace {

struct SweepPlanReport {
  const sweep::RunFacts* facts;
  std::uint64_t points;
};

const TypeRows& plan_rows() {
  using sweep::RunFacts;
  const auto facts = [](const SweepPlanReport& report) -> const RunFacts& { return *report.facts; };
  static const TypeRows rows = report_file(
      "waferloom/sweep_plan/1",
      joined({through<SweepPlanReport>(
                  facts, {row("command", &RunFacts::command, {"the command that the points run"}),
                          row("columns", &RunFacts::columns, {"columns of the axes in tables"})}),
              {row("points", &SweepPlanReport::points, {"points of the sweep", kCount})}}));
  return rows;
}

struct SweepStatusReport {
  const sweep::RunFacts* facts;
  const cluster::PointCounts* counts;
  const RunningFigures* running;  ///< null: it is not told
};

std::vector<Row> count_rows() {
  using cluster::PointCounts;
  return {row("points", &PointCounts::points, {"points of the sweep", kCount}),
          row("done", &PointCounts::done, {"points that have a result", kCount}),
          row("infeasible", &PointCounts::infeasible,
              {"points whose answer is that there is none", kCount}),
          row("failed", &PointCounts::failed, {"points whose command failed", kCount}),
          row("left", &PointCounts::left, {"points that are to run yet", kCount})};
}

/// Rows that a report has which tells what runs.
std::vector<Row> running_rows() {
  using Report = SweepStatusReport;
  const auto is_told = [](const Report& report) { return report.running != nullptr; };
  const auto tasks = [](const Report& report) { return report.running->tasks; };
  const auto mean = [](const Report& report) { return report.running->mean_point_s; };
  const auto estimate = [](const Report& report) { return report.running->estimate_s; };
  return {
      where<Report>(is_told, computed<Report>("running_tasks", tasks,
                                              {"tasks that run; of sweep status alone", kCount})),
      where<Report>(is_told,
                    computed<Report>(
                        "mean_point_s", mean,
                        {"mean seconds of a point; null before one is done; of sweep status alone",
                         kAmount})),
      where<Report>(is_told,
                    computed<Report>(
                        "estimate_s", estimate,
                        {"seconds to go; null if nothing runs; of sweep status alone", kAmount}))};
}

const TypeRows& status_rows() {
  using Report = SweepStatusReport;
  using sweep::RunFacts;
  const auto facts = [](const Report& report) -> const RunFacts& { return *report.facts; };
  const auto counts = [](const Report& report) -> const cluster::PointCounts& {
    return *report.counts;
  };
  static const TypeRows rows = report_file(
      "waferloom/sweep_status/1",
      joined({through<Report>(
                  facts, {row("command", &RunFacts::command, {"the command that the points run"})}),
              through<Report>(counts, count_rows()), running_rows()}));
  return rows;
}

const TypeRows& cancel_rows() {
  using cluster::CancelledRun;
  static const TypeRows rows = report_file(
      "waferloom/sweep_cancel/1",
      {row("slurm_jobs", &CancelledRun::slurm_jobs, {"jobs of Slurm that were cancelled"}),
       row("stopped", &CancelledRun::stopped, {"processes here that were told to stop", kCount}),
       row("elsewhere", &CancelledRun::elsewhere,
           {"processes on other machines, which were left alone", kCount})});
  return rows;
}

}  // namespace

Report sweep_plan_report(const sweep::RunFacts& facts, std::uint64_t points) {
  const SweepPlanReport report{&facts, points};
  return rows_report(plan_rows(), &report);
}

std::string sweep_plan_schema() {
  return schema_text(plan_rows(), "Report of waferloom sweep plan");
}

Report sweep_status_report(const sweep::RunFacts& facts, const cluster::PointCounts& counts,
                           const std::optional<RunningFigures>& running) {
  const SweepStatusReport report{&facts, &counts, running ? &*running : nullptr};
  return rows_report(status_rows(), &report);
}

std::string sweep_status_schema() {
  return schema_text(status_rows(), "Report of waferloom sweep exec, submit, status and collect");
}

Report sweep_cancel_report(const cluster::CancelledRun& cancelled) {
  return rows_report(cancel_rows(), &cancelled);
}

std::string sweep_cancel_schema() {
  return schema_text(cancel_rows(), "Report of waferloom sweep cancel");
}

}  // namespace waferloom::cli
