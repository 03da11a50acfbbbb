#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console/made_by.h"
#include "optimize/run_control.h"

namespace waferloom::cli {

/// An option or operand of a command as it was given.
struct GivenValue {
  std::vector<std::string> texts;
  bool is_output = false;  ///< it names a file or folder that is written
};

/// Options that every command has.
struct CommonOptions {
  optimize::Clock::time_point start;  ///< first thing in main; the time limit counts from here
  std::uint64_t seed = optimize::SearchControl{}.seed;
  int threads = 1;  ///< one a core unless given
  bool threads_given = false;
  std::optional<std::chrono::microseconds> time_limit;
  int effort = optimize::SearchControl{}.effort;
  bool effort_given = false;
  std::string report;          ///< a path, "-" for stdout, empty for none
  int report_descriptor = -1;  ///< at least 0: takes what would go to the file
  bool quiet = false;
  bool verbose = false;
  std::shared_ptr<MadeBy> made_by{};        ///< collects what is read, for reports
  std::vector<std::string> command_line{};  ///< the words behind the program's name
  /// By name; of the command's own options and operands those that were given.
  std::map<std::string, GivenValue> given{};
  bool has(const std::string& name) const { return given.contains(name); }
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
