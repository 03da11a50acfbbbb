#include "model/report.h"
#include "model/text.h"
#include "optimize/bench.h"

namespace waferloom::optimize {
namespace {

std::string optional_text(const std::optional<double>& value) {
  constexpr int kPlaces = 6;
  return value ? fixed_text(*value, kPlaces) : "";
}

std::string kernels_text(const BenchRow& row) {
  return row.kernels ? std::to_string(*row.kernels) : "";
}

std::string published_text(const std::optional<PublishedTotals>& published,
                           std::int64_t PublishedTotals::*which) {
  return published ? distance_text((*published).*which) : "";
}

std::vector<std::string> csv_line(const BenchRow& row, const CaseRuns& runs) {
  return {row.name,
          kernels_text(row),
          std::to_string(row.seed),
          row.score.time,
          row.score.distance,
          row.score.adapter,
          row.score.total,
          published_text(row.published, &PublishedTotals::half_best),
          published_text(row.published, &PublishedTotals::half_gigaplacer),
          published_text(row.published, &PublishedTotals::half_contest_winner),
          optional_text(row.ratio()),
          published_text(row.published, &PublishedTotals::half_reference),
          row.bound_time,
          row.bound_total,
          optional_text(row.gap),
          row.optimal ? "true" : "false",
          row.strategy,
          row.stopped_by,
          fixed_text(row.wall_s, 3),
          runs.median().score.total,
          optional_text(runs.spread()),
          row.failure};
}

}  // namespace

std::string bench_csv(const std::vector<BenchRow>& rows) {
  TextTable table({"case",    "kernels",   "seed",           "time",        "distance",
                   "adapter", "total",     "best_published", "gigaplacer",  "contest_winner",
                   "ratio",   "reference", "bound_time",     "bound_total", "gap",
                   "optimal", "strategy",  "stopped_by",     "wall_s",      "median_total",
                   "spread",  "failure"});
  std::size_t next = 0;
  for (const CaseRuns& runs : runs_by_case(rows)) {
    for (std::size_t i = 0; i < runs.rows().size(); ++i) table.add(csv_line(rows[next++], runs));
  }
  return table.csv();
}

}  // namespace waferloom::optimize
