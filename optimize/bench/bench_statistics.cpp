#include <algorithm>
#include <cmath>
#include <utility>

#include "optimize/bench.h"

namespace waferloom::optimize {
namespace {

/// The geometric mean of the ratios that it was told.
class GeometricMean {
 public:
  void add(double ratio) {
    sum_of_logs_ += std::log(ratio);
    ++count_;
  }
  std::size_t count() const { return count_; }
  /// 1 of none.
  double value() const {
    return count_ == 0 ? 1 : std::exp(sum_of_logs_ / static_cast<double>(count_));
  }

 private:
  double sum_of_logs_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

CaseRuns::CaseRuns(std::vector<BenchRow> rows) : rows_(std::move(rows)) {
  std::stable_sort(rows_.begin(), rows_.end(), [](const BenchRow& a, const BenchRow& b) {
    if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
    return a.total < b.total;
  });
  placed_ = static_cast<std::size_t>(std::count_if(
      rows_.begin(), rows_.end(), [](const BenchRow& row) { return row.failure.empty(); }));
}

std::optional<double> CaseRuns::spread() const {
  if (placed_ < 2) return std::nullopt;
  const double middle = rows_[(placed_ - 1) / 2].total;
  if (middle == 0) return std::nullopt;
  return (rows_[placed_ - 1].total - rows_.front().total) / middle;
}

double CaseRuns::mean_wall_s() const {
  double sum = 0;
  for (const BenchRow& row : rows_) sum += row.wall_s;
  return sum / static_cast<double>(rows_.size());
}

std::vector<CaseRuns> runs_by_case(const std::vector<BenchRow>& rows) {
  std::vector<CaseRuns> cases;
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(begin, rows.end(),
                                  [&](const BenchRow& row) { return row.name != begin->name; });
    cases.emplace_back(std::vector<BenchRow>(begin, end));
    begin = end;
  }
  return cases;
}

BenchMeans bench_means(const std::vector<CaseRuns>& cases, CountedRun which) {
  GeometricMean best;
  GeometricMean gigaplacer;
  GeometricMean contest_winner;
  GeometricMean reference;
  GeometricMean bound;
  BenchMeans means;
  for (const CaseRuns& runs : cases) {
    const BenchRow& row = which == CountedRun::median ? runs.median() : runs.best();
    if (row.failure.empty() && row.gap) bound.add(1 + *row.gap);
    if (!row.ratio()) continue;
    const auto over = [&](std::int64_t half_total) {
      return 2 * row.total / static_cast<double>(half_total);
    };
    if (over(row.published->half_best) <= 1) ++means.not_worse;
    best.add(over(row.published->half_best));
    gigaplacer.add(over(row.published->half_gigaplacer));
    contest_winner.add(over(row.published->half_contest_winner));
    reference.add(over(row.published->half_reference));
  }
  means.cases = best.count();
  means.best = best.value();
  means.gigaplacer = gigaplacer.value();
  means.contest_winner = contest_winner.value();
  means.reference = reference.value();
  means.bounded_cases = bound.count();
  means.bound = bound.value();
  return means;
}

}  // namespace waferloom::optimize
