#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.h"
#include "optimize/bench_rows.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// What ran: all rows, those of a case together.
struct BenchRun {
  std::vector<BenchRow> rows;
  std::string strategy;
  std::vector<std::uint64_t> seeds;
  std::int64_t peak_memory_bytes = 0;  ///< of the process
};

/// A report of schema waferloom/bench/1: all rows, and each case's best, median and spread. The
/// control limited each placement.
Json bench_json(const BenchRun& run, const SearchControl& control,
                const std::vector<std::string>& warnings);

/// All rows; median and spread of a case in each of its rows.
std::string bench_csv(const std::vector<BenchRow>& rows);

}  // namespace waferloom::optimize
