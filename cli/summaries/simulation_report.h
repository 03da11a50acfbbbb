#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/files/report_target.h"
#include "cli/summaries/summary_lines.h"
#include "model/hardware.h"
#include "model/report.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What was simulated, as reports and summaries tell it.
struct SimulationSubject {
  const Hardware& hardware;
  const sim::SimulateOptions& options;
  bool training = false;
  std::string rate{};  ///< "5130.4 samples/s"
};

/// How fast the program itself was.
struct SimulationSpeed {
  double wall_s = 0;
  double events_per_s = 0;
  std::int64_t peak_memory_bytes = 0;
};

/// A report of schema waferloom/simulate/1, without `speed` and `warnings`: the same bytes for the
/// same input.
Json simulation_json(const sim::ThroughputReport& found, const SimulationSubject& subject);
/// Null where rates are exact.
Json rate_error_json(const std::optional<sim::RateError>& error);
Json speed_json(const SimulationSpeed& speed);

/// A number with at most so many significant digits.
std::string significant(double value, int digits);
/// "1.5 ms": picoseconds in a unit that reads well.
std::string duration_text(sim::Picoseconds time);
/// "5130.4 samples/s" and "compute: stage k7".
std::string throughput_text(const sim::ThroughputReport& found);
std::string bound_text(const sim::ThroughputReport& found);

/// What a person wants to know of a run, of at most 80 columns where names are short.
std::string simulation_summary(const sim::ThroughputReport& found, const SimulationSubject& subject,
                               const std::string& name);
/// The lines of a summary that tell on what was simulated, and how fast the program was.
std::string hardware_line(const SimulationSubject& subject);
std::string speed_line(const SimulationSpeed& speed);

/// A line a link that carried something: x, y, direction, bytes, busy share of the simulated time.
std::string links_csv(const sim::ThroughputReport& found, const Hardware& hardware);

}  // namespace waferloom::cli
