#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/decimal.h"
#include "model/option_spec.h"
#include "model/wafer.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

class MadeBy;

/// Options that every command has.
struct CommonOptions {
  optimize::Clock::time_point start;  ///< first thing in main; the time limit counts from here
  std::uint64_t seed = 0;
  int threads = 1;  ///< one a core unless given
  std::optional<std::chrono::microseconds> time_limit;
  int effort = 0;
  bool effort_given = false;
  std::string report;          ///< a path, "-" for stdout, empty for none
  int report_descriptor = -1;  ///< at least 0: takes what would go to the file
  bool quiet = false;
  bool verbose = false;
  std::shared_ptr<MadeBy> made_by{};  ///< collects what is read, for reports
  /// With a time limit and no effort asked for, the deadline rules alone.
  bool effort_limits() const { return effort_given || !time_limit; }
};

/// When a run that began at `start` has to end; nothing without a time limit.
std::optional<optimize::Clock::time_point> deadline(const CommonOptions& options,
                                                    optimize::Clock::time_point start);

/// Seconds since `start`.
double seconds_since(optimize::Clock::time_point start);

/// Throws Failure::time_limit if the deadline has passed.
void throw_if_late(const CommonOptions& options);

/// Parse values of the command line; `option` names them in the Failure::usage that they throw.
std::uint64_t parse_whole(const std::string& text, const std::string& option, WholeRange range);
Decimal6 parse_decimal(const std::string& text, const std::string& option);
/// Whole numbers of `text` in front of each of the separators and behind the last; none if it is
/// not of that form or a number is above kMaxWaferSide.
std::vector<std::int64_t> split_numbers(const std::string& text, std::string_view separators);
/// "633x500": a mesh without dead tiles, sides from 1 to kMaxWaferSide.
Wafer parse_mesh(const std::string& text, const std::string& option);
/// Seconds above 0, at most a million, with up to six decimals.
std::chrono::microseconds parse_seconds(const std::string& text, const std::string& option);

}  // namespace waferloom::cli
