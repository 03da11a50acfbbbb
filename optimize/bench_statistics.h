#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "optimize/bench_rows.h"

namespace waferloom::optimize {

/// All runs of one case, at least one: the placed ones first and by total, the lowest in front.
class CaseRuns {
 public:
  explicit CaseRuns(std::vector<BenchRow> rows);

  const std::vector<BenchRow>& rows() const { return rows_; }
  std::size_t placed() const { return placed_; }
  const BenchRow& best() const { return rows_.front(); }
  /// The run in the middle, the lower one of two; runs without a placement count as the highest.
  const BenchRow& median() const { return rows_[(rows_.size() - 1) / 2]; }
  /// (highest total - lowest) / median, of the runs with a placement; nothing of fewer than two,
  /// or if the median is 0.
  std::optional<double> spread() const;
  double mean_wall_s() const;

 private:
  std::vector<BenchRow> rows_;
  std::size_t placed_ = 0;
};

/// The rows of each case, cases in order of appearance; a case's rows stand together.
std::vector<CaseRuns> runs_by_case(const std::vector<BenchRow>& rows);

/// Geometric means of our totals over published ones, over the cases that have both, and over the
/// proven bounds, over the cases with a bound above 0.
struct BenchMeans {
  std::size_t cases = 0;
  std::size_t not_worse = 0;  ///< cases with a total of at most the better published
  double best = 1;
  double gigaplacer = 1;
  double contest_winner = 1;
  double reference = 1;
  std::size_t bounded_cases = 0;
  double bound = 1;
};

/// Which run of a case counts.
enum class CountedRun { best, median };
BenchMeans bench_means(const std::vector<CaseRuns>& cases, CountedRun which);

}  // namespace waferloom::optimize
