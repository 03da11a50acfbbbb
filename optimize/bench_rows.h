#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/problem.h"
#include "model/report.h"
#include "model/verify.h"
#include "optimize/placer_run.h"

namespace waferloom::optimize {

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

}  // namespace waferloom::optimize
