#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_cases.h"
#include "cli/placer_run.h"
#include "cli/report.h"

namespace waferloom {

/// One run of one case with one seed.
struct BenchRow {
  std::string name;
  std::optional<std::size_t> kernels;  ///< nothing of a case that cannot be read
  std::uint64_t seed = 1;
  std::string failure;  ///< why there is no placement; empty if there is one
  ScoreTexts score;
  double total = 0;
  std::string bound_time;
  std::string bound_total;
  std::optional<double> gap;
  bool optimal = false;
  std::string strategy;
  std::string stopped_by;  ///< empty of a case that cannot be read
  double wall_s = 0;
  std::optional<PublishedTotals> published;
  /// total / better published; nothing without a placement or published totals.
  std::optional<double> ratio() const;
};

BenchRow bench_row(const BenchCase& bench, std::uint64_t seed, const PlacerOutcome& outcome,
                   const std::string& strategy);

/// The row of a case that cannot be read.
BenchRow fault_row(const BenchCase& bench, std::uint64_t seed);

/// Geometric means of our totals over published ones, over the cases that have both.
struct BenchMeans {
  std::size_t cases = 0;
  std::size_t not_worse = 0;  ///< cases with a total of at most the better published
  double best = 1;
  double gigaplacer = 1;
  double contest_winner = 1;
  double reference = 1;
};

/// Of each case's best row; or, if `median`, of its median row (the lower one of two).
BenchMeans bench_means(const std::vector<BenchRow>& rows, bool median);

/// One line a case, its best row; a median column if there are several seeds; then the means.
std::string bench_summary(const std::vector<BenchRow>& rows);
/// All rows.
std::string bench_csv(const std::vector<BenchRow>& rows);
Json bench_json(const std::vector<BenchRow>& rows);

}  // namespace waferloom
