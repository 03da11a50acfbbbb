#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/console/made_by.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

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

}  // namespace waferloom::cli
