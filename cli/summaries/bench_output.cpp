#include "cli/summaries/bench_output.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/jobs/bench_statistics.h"
#include "model/text_table.h"

namespace waferloom::cli {
namespace {

std::string fixed(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

std::string fixed(const std::optional<double>& value, int places) {
  return value ? fixed(*value, places) : "";
}

std::string kernels_text(const BenchRow& row) {
  return row.kernels ? std::to_string(*row.kernels) : "";
}

std::string total_text(const BenchRow& row) {
  return row.failure.empty() ? row.score.total : "none";
}

/// With four places; more where it would look like `landmark` and is not.
std::string shown(const std::optional<double>& value, double landmark) {
  return value ? told_apart(*value, 4, landmark) : "";
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

std::string means_lines(const std::string& label, const BenchMeans& means) {
  std::string text;
  if (means.cases > 0) {
    text += label + " over published totals, geometric mean of " + std::to_string(means.cases) +
            ":\n  " + told_apart(means.best, 4, 1) + " of the better published (at most it on " +
            std::to_string(means.not_worse) + " of " + std::to_string(means.cases) + ")\n  " +
            told_apart(means.gigaplacer, 4, 1) + " of GigaPlacer's\n  " +
            told_apart(means.contest_winner, 4, 1) + " of the contest winner's\n  " +
            told_apart(means.reference, 4, 1) +
            " of the reference, the best known before this project\n";
  }
  if (means.bounded_cases > 0) {
    text += label + " over proven bounds, geometric mean of " +
            std::to_string(means.bounded_cases) + ": " + told_apart(means.bound, 4, 1) + "\n";
  }
  return text;
}

/// What a table shows beyond what all of them do.
struct TableForm {
  bool published = false;  ///< some case has published totals
  bool several = false;    ///< some case ran with several seeds
};

std::vector<std::string> table_heading(const TableForm& form) {
  std::vector<std::string> heading{"case", "kernels"};
  if (form.several) {
    heading.insert(heading.end(), {"best", "median", "spread"});
  } else {
    heading.insert(heading.end(), {"time", "dist", "adapter", "total"});
  }
  if (form.published) heading.insert(heading.end(), {"published", "ratio"});
  heading.insert(heading.end(), {"gap", "s"});
  return heading;
}

std::vector<std::string> table_line(const CaseRuns& runs, const TableForm& form) {
  const BenchRow& best = runs.best();
  std::vector<std::string> line{best.name, kernels_text(best)};
  if (form.several) {
    line.insert(line.end(), {total_text(best), total_text(runs.median()), shown(runs.spread(), 0)});
  } else {
    line.insert(line.end(),
                {best.score.time, best.score.distance, best.score.adapter, total_text(best)});
  }
  if (form.published) {
    line.push_back(published_text(best.published, &PublishedTotals::half_best));
    line.push_back(shown(best.ratio(), 1));
  }
  line.push_back(best.optimal ? "none" : shown(best.gap, 0));
  const double wall = runs.mean_wall_s();
  line.push_back(fixed(wall, wall < 9.95 ? 1 : 0));
  return line;
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
          fixed(row.ratio(), 6),
          published_text(row.published, &PublishedTotals::half_reference),
          row.bound_time,
          row.bound_total,
          fixed(row.gap, 6),
          row.optimal ? "true" : "false",
          row.strategy,
          row.stopped_by,
          fixed(row.wall_s, 3),
          runs.median().score.total,
          fixed(runs.spread(), 6),
          row.failure};
}

}  // namespace

std::string bench_summary(const std::vector<BenchRow>& rows) {
  const std::vector<CaseRuns> cases = runs_by_case(rows);
  TableForm form;
  form.several = rows.size() > cases.size();
  form.published = std::any_of(rows.begin(), rows.end(),
                               [](const BenchRow& row) { return row.published.has_value(); });
  TextTable table(table_heading(form));
  for (const CaseRuns& runs : cases) table.add(table_line(runs, form));
  std::string text = table.text() + "\n";
  text +=
      means_lines(form.several ? "Best totals" : "Totals", bench_means(cases, CountedRun::best));
  if (form.several) text += means_lines("Median totals", bench_means(cases, CountedRun::median));
  for (const BenchRow& row : rows) {
    if (row.failure.empty()) continue;
    text += row.name;
    if (row.kernels) text += ", seed " + std::to_string(row.seed);
    text += ": " + row.failure + "\n";
  }
  return text;
}

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

Json bench_json(const std::vector<BenchRow>& rows) {
  const std::vector<CaseRuns> cases = runs_by_case(rows);
  Json json = new_report("bench");
  json["rows"] = Json::array();
  for (const BenchRow& row : rows) json["rows"].push_back(row_json(row));
  json["cases"] = Json::array();
  for (const CaseRuns& runs : cases) json["cases"].push_back(case_json(runs));
  json["best"] = means_json(bench_means(cases, CountedRun::best));
  json["median"] = means_json(bench_means(cases, CountedRun::median));
  return json;
}

}  // namespace waferloom::cli
