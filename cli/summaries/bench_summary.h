#pragma once

#include <string>
#include <vector>

#include "optimize/bench.h"

namespace waferloom::cli {

/// One line a case: its run, or with several seeds its best and median totals and their spread.
/// Then the means, and what failed. At most 80 columns wide as long as names and totals are not
/// longer than those of the cases that are built in. The rows of a case stand together.
std::string bench_summary(const std::vector<optimize::BenchRow>& rows);

}  // namespace waferloom::cli
