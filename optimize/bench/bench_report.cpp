#include <nlohmann/json.hpp>

#include "model/report.h"
#include "model/text.h"
#include "optimize/bench.h"
#include "optimize/search/run_report.h"

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

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json means_json(const BenchMeans& means) {
  Json json;
  json["cases"] = means.cases;
  json["not_worse_than_best_published"] = means.not_worse;
  json["bounded_cases"] = means.bounded_cases;
  const auto mean = [&](double value) { return means.cases > 0 ? Json(value) : Json(nullptr); };
  json["geometric_mean"] = {{"best_published", mean(means.best)},
                            {"gigaplacer", mean(means.gigaplacer)},
                            {"contest_winner", mean(means.contest_winner)},
                            {"reference", mean(means.reference)},
                            {"bound", means.bounded_cases > 0 ? Json(means.bound) : Json(nullptr)}};
  return json;
}

Json row_json(const BenchRow& row) {
  Json json;
  json["case"] = row.name;
  json["kernels"] = row.kernels ? Json(*row.kernels) : Json(nullptr);
  json["seed"] = row.seed;
  json["failure"] = row.failure.empty() ? Json(nullptr) : Json(row.failure);
  json["stopped_by"] = row.stopped_by.empty() ? Json(nullptr) : Json(row.stopped_by);
  json["wall_s"] = row.wall_s;
  if (!row.failure.empty()) return json;
  json["time"] = json_number(row.score.time);
  json["distance"] = json_number(row.score.distance);
  json["adapter"] = json_number(row.score.adapter);
  json["total"] = json_number(row.score.total);
  json["bound"] = {{"time", json_number(row.bound_time)}, {"total", json_number(row.bound_total)}};
  json["gap"] = optional_json(row.gap);
  json["optimal"] = row.optimal;
  json["strategy"] = row.strategy;
  json["best_published"] =
      row.published ? json_number(distance_text(row.published->half_best)) : Json(nullptr);
  json["ratio"] = optional_json(row.ratio());
  json["reference"] =
      row.published ? json_number(distance_text(row.published->half_reference)) : Json(nullptr);
  return json;
}

Json case_json(const CaseRuns& runs) {
  const auto total = [](const BenchRow& row) {
    return row.failure.empty() ? json_number(row.score.total) : Json(nullptr);
  };
  Json json;
  json["case"] = runs.best().name;
  json["runs"] = runs.rows().size();
  json["placed"] = runs.placed();
  json["best"] = total(runs.best());
  json["median"] = total(runs.median());
  json["spread"] = optional_json(runs.spread());
  return json;
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

Json bench_json(const BenchRun& run, const SearchControl& control,
                const std::vector<std::string>& warnings) {
  const std::vector<CaseRuns> cases = runs_by_case(run.rows);
  Json json = new_report("bench");
  json["rows"] = Json::array();
  for (const BenchRow& row : run.rows) json["rows"].push_back(row_json(row));
  json["cases"] = Json::array();
  for (const CaseRuns& runs : cases) json["cases"].push_back(case_json(runs));
  json["best"] = means_json(bench_means(cases, CountedRun::best));
  json["median"] = means_json(bench_means(cases, CountedRun::median));
  json["strategy"] = run.strategy;
  json["seeds"] = run.seeds;
  json["effort"] = effort_json(control);
  json["time_limit_s"] = time_limit_json(control);
  json["threads"] = control.threads;
  json["peak_memory_bytes"] = run.peak_memory_bytes;
  json["wall_s"] = wall_s(control);
  json["warnings"] = warnings;
  return json;
}

}  // namespace waferloom::optimize
