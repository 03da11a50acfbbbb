#include "cli/summaries/bench_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/summaries/summary_lines.h"
#include "model/placement.h"
#include "model/report.h"
#include "model/text.h"
#include "optimize/bench.h"

namespace waferloom::cli {
namespace {

std::string kernels_text(const optimize::BenchRow& row) {
  return row.kernels ? std::to_string(*row.kernels) : "";
}

std::string total_text(const optimize::BenchRow& row) {
  return row.failure.empty() ? row.score.total : "none";
}

/// With four places; more where it would look like `landmark` and is not.
std::string shown(const std::optional<double>& value, double landmark) {
  return value ? told_apart(*value, 4, landmark) : "";
}

std::string means_lines(const std::string& label, const optimize::BenchMeans& means) {
  std::string text;
  if (means.cases > 0) {
    text += fmt::format(
        "{} over published totals, geometric mean of {}:\n  {} of the better published (at most it "
        "on {} of {})\n  {} of GigaPlacer's\n  {} of the contest winner's\n  {} of the reference, "
        "the best known before this project\n",
        label, means.cases, told_apart(means.best, 4, 1), means.not_worse, means.cases,
        told_apart(means.gigaplacer, 4, 1), told_apart(means.contest_winner, 4, 1),
        told_apart(means.reference, 4, 1));
  }
  if (means.bounded_cases > 0) {
    text += fmt::format("{} over proven bounds, geometric mean of {}: {}\n", label,
                        means.bounded_cases, told_apart(means.bound, 4, 1));
  }
  return text;
}

/// What a table shows beyond what all of them do.
struct TableForm {
  bool published = false;  ///< some case has published totals
  bool several = false;    ///< some case ran with several seeds
  bool kernels = true;     ///< how many a case has
};

std::vector<std::string> table_heading(const TableForm& form) {
  std::vector<std::string> heading{"case"};
  if (form.kernels) heading.emplace_back("kernels");
  if (form.several) {
    heading.insert(heading.end(), {"best", "median", "spread"});
  } else {
    heading.insert(heading.end(), {"time", "dist", "adapter", "total"});
  }
  if (form.published) heading.insert(heading.end(), {"published", "ratio"});
  heading.insert(heading.end(), {"gap", "s"});
  return heading;
}

std::vector<std::string> table_line(const optimize::CaseRuns& runs, const TableForm& form) {
  const optimize::BenchRow& best = runs.best();
  std::vector<std::string> line{best.name};
  if (form.kernels) line.push_back(kernels_text(best));
  if (form.several) {
    line.insert(line.end(), {total_text(best), total_text(runs.median()), shown(runs.spread(), 0)});
  } else {
    line.insert(line.end(),
                {best.score.time, best.score.distance, best.score.adapter, total_text(best)});
  }
  if (form.published) {
    line.push_back(best.published ? distance_text(best.published->half_best) : "");
    line.push_back(shown(best.ratio(), 1));
  }
  line.push_back(best.optimal ? "none" : shown(best.gap, 0));
  const double wall = runs.mean_wall_s();
  line.push_back(fixed_text(wall, wall < 9.95 ? 1 : 0));
  return line;
}

std::string table_text(const std::vector<optimize::CaseRuns>& cases, const TableForm& form) {
  TextTable table(table_heading(form));
  for (const optimize::CaseRuns& runs : cases) table.add(table_line(runs, form));
  return table.text();
}

/// Whether lines, which are of one length, fit 80 columns.
bool fits(const std::string& table) {
  constexpr std::size_t kWidestTable = 80;
  return table.find('\n') <= kWidestTable;
}

}  // namespace

std::string bench_summary(const std::vector<optimize::BenchRow>& rows) {
  const std::vector<optimize::CaseRuns> cases = optimize::runs_by_case(rows);
  TableForm form;
  form.several = rows.size() > cases.size();
  form.published = std::any_of(rows.begin(), rows.end(), [](const optimize::BenchRow& row) {
    return row.published.has_value();
  });
  std::string text = table_text(cases, form);
  if (!fits(text)) {
    form.kernels = false;  // long names, or ratios that are told apart from 1 late
    text = table_text(cases, form);
  }
  text += "\n";
  text += means_lines(form.several ? "Best totals" : "Totals",
                      optimize::bench_means(cases, optimize::CountedRun::best));
  if (form.several)
    text +=
        means_lines("Median totals", optimize::bench_means(cases, optimize::CountedRun::median));
  for (const optimize::BenchRow& row : rows) {
    if (row.failure.empty()) continue;
    text += row.name;
    if (row.kernels) text += fmt::format(", seed {}", row.seed);
    text += ": " + row.failure + "\n";
  }
  return text;
}

}  // namespace waferloom::cli
