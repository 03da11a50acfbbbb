#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/report.h"
#include "cli/warnings.h"
#include "model/hardware.h"
#include "planner/trial.h"
#include "sim/simulate.h"

namespace waferloom {

/// Candidates that were passed over for one reason.
struct PassedOver {
  std::string reason;
  std::size_t count = 0;
  std::string example;
};

/// What `optimize` found.
struct OptimizeResult {
  std::string subject;                  ///< as its file calls it
  std::string source;                   ///< where it was read
  std::vector<Trial> trials;            ///< in the order in which they were proposed
  std::vector<PassedOver> passed_over;  ///< of those that are not among them
  std::size_t best = 0;
  std::optional<std::size_t> baseline;
  std::size_t rounds = 1;
  std::string ended_by;  ///< "effort", "no gain", "time_limit", "interrupted"
};

/// Reads the word for a run's end: a signal, the time limit, or `otherwise`.
std::string end_of_run(const CommonOptions& options, const std::string& otherwise);

/// A report of schema waferloom/optimize/1; the same bytes at any number of threads.
Json optimize_json(const OptimizeResult& result, const Hardware& hardware,
                   const SimulateOptions& options, const CommonOptions& common,
                   const Warnings& warnings);

/// At most 80 columns where names are short.
std::string optimize_summary(const OptimizeResult& result, const std::string& folder);

}  // namespace waferloom
