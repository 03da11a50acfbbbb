#pragma once

#include <string>
#include <vector>

#include "cli/jobs/bench_rows.h"

namespace waferloom::cli {

/// What bench shows and writes of its runs; the rows of a case stand together.

/// One line a case: its run, or with several seeds its best and median totals and their spread.
/// Then the means, and what failed. At most 80 columns wide as long as names and totals are not
/// longer than those of the cases that are built in.
std::string bench_summary(const std::vector<BenchRow>& rows);
/// All rows; median and spread of a case in each of its rows.
std::string bench_csv(const std::vector<BenchRow>& rows);
/// All rows, and each case's best, median and spread.
Json bench_json(const std::vector<BenchRow>& rows);

}  // namespace waferloom::cli
