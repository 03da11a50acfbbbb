#include "cli/bench_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/text_table.h"

namespace waferloom {
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

/// With four places; more where it would look like `landmark` and is not.
std::string shown(const std::optional<double>& value, double landmark) {
  return value ? told_apart(*value, 4, landmark) : "";
}

double double_of(const std::string& decimal) { return std::strtod(decimal.c_str(), nullptr); }

/// The rows of each case, cases in order of appearance, each case's placed rows first and by total.
std::vector<std::vector<BenchRow>> by_case(const std::vector<BenchRow>& rows) {
  std::vector<std::vector<BenchRow>> cases;
  for (const BenchRow& row : rows) {
    if (cases.empty() || cases.back().front().name != row.name) cases.emplace_back();
    cases.back().push_back(row);
  }
  for (std::vector<BenchRow>& runs : cases) {
    std::stable_sort(runs.begin(), runs.end(), [](const BenchRow& a, const BenchRow& b) {
      if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
      return a.total < b.total;
    });
  }
  return cases;
}

const BenchRow& median(const std::vector<BenchRow>& runs) { return runs[(runs.size() - 1) / 2]; }

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
  const auto mean = [&](double value) { return means.cases > 0 ? Json(value) : Json(nullptr); };
  json["geometric_mean"] = {{"best_published", mean(means.best)},
                            {"gigaplacer", mean(means.gigaplacer)},
                            {"contest_winner", mean(means.contest_winner)},
                            {"reference", mean(means.reference)}};
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

std::string means_lines(const std::string& label, const BenchMeans& means) {
  if (means.cases == 0) return "";
  return label + " over published totals, geometric mean of " + std::to_string(means.cases) +
         ":\n  " + told_apart(means.best, 4, 1) + " of the better published (at most it on " +
         std::to_string(means.not_worse) + " of " + std::to_string(means.cases) + ")\n  " +
         told_apart(means.gigaplacer, 4, 1) + " of GigaPlacer's\n  " +
         told_apart(means.contest_winner, 4, 1) + " of the contest winner's\n  " +
         told_apart(means.reference, 4, 1) +
         " of the reference, the best known before this project\n";
}

/// What a table shows beyond what all of them do.
struct TableForm {
  bool published = false;  ///< some case has published totals
  bool several = false;    ///< some case ran with several seeds
};

std::vector<std::string> table_heading(const TableForm& form) {
  std::vector<std::string> heading{"case", "kernels", "time", "dist", "adapter", "total"};
  if (form.published) heading.insert(heading.end(), {"published", "ratio"});
  heading.insert(heading.end(), {"gap", "s"});
  if (form.several) heading.emplace_back("median");
  return heading;
}

std::vector<std::string> table_line(const std::vector<BenchRow>& runs, const TableForm& form) {
  const BenchRow& best = runs.front();
  double wall = 0;
  for (const BenchRow& run : runs) wall += run.wall_s / static_cast<double>(runs.size());
  std::vector<std::string> line{
      best.name,           kernels_text(best), best.score.time,
      best.score.distance, best.score.adapter, best.failure.empty() ? best.score.total : "none"};
  if (form.published) {
    line.push_back(published_text(best.published, &PublishedTotals::half_best));
    line.push_back(shown(best.ratio(), 1));
  }
  line.push_back(best.optimal ? "none" : shown(best.gap, 0));
  line.push_back(fixed(wall, wall < 9.95 ? 1 : 0));
  if (form.several) line.push_back(shown(median(runs).ratio(), 1));
  return line;
}

}  // namespace

std::optional<double> BenchRow::ratio() const {
  if (!failure.empty() || !published) return std::nullopt;
  return 2 * total / static_cast<double>(published->half_best);
}

BenchRow bench_row(const BenchCase& bench, std::uint64_t seed, const PlacerOutcome& outcome,
                   const std::string& strategy) {
  const PlaceResult& result = outcome.result;
  BenchRow row;
  row.name = bench.name;
  row.kernels = bench.problem->kernel_count();
  row.seed = seed;
  row.published = bench.published;
  row.stopped_by = stop_reason_name(result.stopped_by);
  if (!outcome.best) {
    row.failure = no_placement(*bench.problem, result, strategy).what();
    return row;
  }
  row.score = score_texts(*bench.problem, outcome.best->score);
  row.total = double_of(row.score.total);
  row.bound_time = time_text(*bench.problem, result.bounds.time);
  row.bound_total = total_text(CostModel(*bench.problem), result.bounds.total);
  row.gap = gap(*bench.problem, result);
  row.optimal = result.optimal;
  row.strategy = result.strategy;
  return row;
}

BenchRow fault_row(const BenchCase& bench, std::uint64_t seed) {
  BenchRow row;
  row.name = bench.name;
  row.seed = seed;
  row.failure = bench.fault;
  return row;
}

BenchMeans bench_means(const std::vector<BenchRow>& rows, bool of_medians) {
  BenchMeans means;
  double best = 0;
  double gigaplacer = 0;
  double contest_winner = 0;
  double reference = 0;
  for (const std::vector<BenchRow>& runs : by_case(rows)) {
    const BenchRow& row = of_medians ? median(runs) : runs.front();
    if (!row.ratio()) continue;
    ++means.cases;
    if (2 * row.total <= static_cast<double>(row.published->half_best)) ++means.not_worse;
    best += std::log(*row.ratio());
    gigaplacer += std::log(2 * row.total / static_cast<double>(row.published->half_gigaplacer));
    contest_winner +=
        std::log(2 * row.total / static_cast<double>(row.published->half_contest_winner));
    reference += std::log(2 * row.total / static_cast<double>(row.published->half_reference));
  }
  if (means.cases == 0) return means;
  const auto count = static_cast<double>(means.cases);
  means.best = std::exp(best / count);
  means.gigaplacer = std::exp(gigaplacer / count);
  means.contest_winner = std::exp(contest_winner / count);
  means.reference = std::exp(reference / count);
  return means;
}

std::string bench_summary(const std::vector<BenchRow>& rows) {
  const std::vector<std::vector<BenchRow>> cases = by_case(rows);
  const bool several = rows.size() > cases.size();
  const bool published = std::any_of(rows.begin(), rows.end(),
                                     [](const BenchRow& row) { return row.published.has_value(); });
  TextTable table(table_heading({published, several}));
  for (const std::vector<BenchRow>& runs : cases) table.add(table_line(runs, {published, several}));
  std::string text = table.text() + "\n";
  text += means_lines(several ? "Best totals" : "Totals", bench_means(rows, false));
  if (several) text += means_lines("Median totals", bench_means(rows, true));
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
                   "optimal", "strategy",  "stopped_by",     "wall_s",      "failure"});
  for (const BenchRow& row : rows) {
    table.add({row.name,
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
               row.failure});
  }
  return table.csv();
}

Json bench_json(const std::vector<BenchRow>& rows) {
  Json json = new_report("bench");
  json["rows"] = Json::array();
  for (const BenchRow& row : rows) json["rows"].push_back(row_json(row));
  json["best"] = means_json(bench_means(rows, false));
  json["median"] = means_json(bench_means(rows, true));
  return json;
}

}  // namespace waferloom
