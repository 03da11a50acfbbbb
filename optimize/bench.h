#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/option_spec.h"
#include "model/placement.h"
#include "model/problem.h"
#include "model/report.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"
#include "placer/place.h"

namespace waferloom::optimize {

/// How the cases of a benchmark are run.
struct BenchRuns {
  std::uint64_t seeds = 1;  ///< of each case, from the first one on
  std::string strategy = placer::PlaceOptions{}.strategy;
};
/// seeds, strategy.
Options<BenchRuns> bench_options();

/// What others reached on a case, in half units of cost.
struct PublishedTotals {
  std::int64_t half_best = 0;
  std::int64_t half_gigaplacer = 0;
  std::int64_t half_contest_winner = 0;
  std::int64_t half_reference = 0;  ///< the best known before this project
};

/// A case to run.
struct BenchCase {
  std::string name;
  std::optional<Problem> problem;  ///< nothing if its file is wrong
  std::optional<PublishedTotals> published{};
  std::string fault{};  ///< what is wrong with the file
};

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
  std::optional<double> gap;  ///< total / bound - 1
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

/// What ran: all rows, those of a case together.
struct BenchRun {
  std::vector<BenchRow> rows;
  std::string strategy;
  std::vector<std::uint64_t> seeds;
  std::int64_t peak_memory_bytes = 0;  ///< of the process
};

/// A report of schema waferloom/bench/1: all rows, and each case's best, median and spread. The
/// control limited each placement.
Report bench_report(const BenchRun& run, const SearchControl& control,
                    const std::vector<std::string>& warnings);
std::string bench_schema();

/// All rows; median and spread of a case in each of its rows.
std::string bench_csv(const std::vector<BenchRow>& rows);

}  // namespace waferloom::optimize
