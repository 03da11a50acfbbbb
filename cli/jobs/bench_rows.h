#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/files/report_target.h"
#include "cli/jobs/bench_cases.h"
#include "cli/summaries/summary_lines.h"
#include "model/report.h"
#include "optimize/placer_run.h"

namespace waferloom::cli {

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

BenchRow bench_row(const BenchCase& bench, std::uint64_t seed,
                   const optimize::PlacerOutcome& outcome, const std::string& strategy);

/// The row of a case that cannot be read.
BenchRow fault_row(const BenchCase& bench, std::uint64_t seed);

}  // namespace waferloom::cli
