#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/report.h"
#include "planner/amped_explore.h"
#include "planner/amped_memory.h"

namespace waferloom::planner {

/// How many micro-batches a replica's batch is cut into.
enum class MicroBatches : std::uint8_t {
  best,    ///< the fastest number of all that divide it
  stages,  ///< as many as stages, as in AMPeD
  given,
};

/// A network on nodes of chips, and what of its degrees is asked for.
struct AmpedJob {
  AmpedNetwork network;
  System system;
  AmpedNodes nodes;
  AmpedExperts experts;
  AmpedTraining training;  ///< its micro-batches where they are given
  MicroBatches micro_batches = MicroBatches::best;
  AmpedSearch search;
  std::optional<AmpedDegrees> degrees;  ///< nothing: all are explored
  std::size_t top = 10;
};

/// A report of schema waferloom/amped/1.
Json amped_json(const AmpedJob& job, const AmpedExploration& found);
/// All degrees, the ranked ones first.
std::string amped_csv(const AmpedJob& job, const AmpedExploration& found);

}  // namespace waferloom::planner
