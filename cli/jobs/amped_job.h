#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "planner/amped_explore.h"
#include "planner/amped_memory.h"

namespace waferloom::cli {

/// How many micro-batches a replica's batch is cut into.
enum class MicroBatches : std::uint8_t {
  best,    ///< the fastest number of all that divide it
  stages,  ///< as many as stages, as in AMPeD
  given,
};

/// What `waferloom model amped` is asked for.
struct AmpedJob {
  planner::AmpedNetwork network;
  System system;
  planner::AmpedNodes nodes;
  planner::AmpedExperts experts;
  planner::AmpedTraining training;  ///< its micro-batches where they are given
  MicroBatches micro_batches = MicroBatches::best;
  planner::AmpedSearch search;
  std::optional<planner::AmpedDegrees> degrees;  ///< nothing: all are explored
  std::size_t top = 10;
};

/// Throws Failure for what cannot be, InputError for files.
AmpedJob amped_job(const Arguments& arguments);

/// The degrees that were asked for, alone; or all. Throws Failure: usage for degrees that do not
/// divide, infeasible where nothing has room and room is asked for.
planner::AmpedExploration run_amped_job(const AmpedJob& job);

/// The candidate that is told in full: the fastest.
const planner::AmpedCandidate& best_of(const planner::AmpedExploration& found);

/// The options of the command.
std::vector<OptionSpec> amped_options();

}  // namespace waferloom::cli
