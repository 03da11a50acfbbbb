#pragma once

#include <string>

#include "sim/report_json.h"
#include "sim/simulate.h"
#include "sim/time.h"

namespace waferloom::cli {

/// "1.5 ms": picoseconds in a unit that reads well.
std::string duration_text(sim::Picoseconds time);
/// "5130.4 samples/s" and "compute: stage k7".
std::string throughput_text(double samples_per_s);
std::string bound_text(const sim::ThroughputReport& found);
/// The busiest link and how busy it was; nothing if nothing moved.
std::string busiest_line(const sim::ThroughputReport& found);
/// The line that says what a rate is of.
std::string rate_line(sim::RateOf rate_of);

/// What bounds a run for a sample of the workload, of which a sample of the run has so many, and
/// the next bound.
std::string simulated_bound_line(const sim::ThroughputReport& found, std::int64_t samples_each);

/// What a person wants to know of a run, of at most 80 columns where names are short.
std::string simulation_summary(const sim::ThroughputReport& found,
                               const sim::SimulationSubject& subject, const std::string& name);
/// The lines of a summary that tell on what was simulated, and how fast the program was.
/// "38 % of settles cut: rates may be off by more than 2 %", of rates that are restless.
std::string unrest_text(const sim::RateError& error);
/// That and the makespans on other networks, where they were run; nothing elsewhere.
std::string unrest_lines(const sim::ThroughputReport& found);
std::string hardware_line(const sim::SimulationSubject& subject);
std::string speed_line(const sim::SimulationSpeed& speed);

}  // namespace waferloom::cli
