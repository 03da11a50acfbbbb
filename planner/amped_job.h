#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/errors.h"
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

/// Thrown for degrees that amped_refusal() refuses; AmpedSearch::sensible = false lets them pass.
class RefusedDegrees : public RequestError {
 public:
  explicit RefusedDegrees(const std::string& message) : RequestError(message) {}
};

/// The replicas that fill a system beside so many chips of a replica; 1 if they do not divide it.
std::int64_t filling_data_degree(std::int64_t replica_chips, const System& system);

/// The degrees that are asked for, alone; or all. Throws RefusedDegrees, RequestError for
/// degrees that are not the system's, and InfeasibleError where nothing has room and room is asked
/// for.
AmpedExploration run_amped_job(const AmpedJob& job);

/// The candidate that is told in full: the fastest. Of an exploration that found one.
const AmpedCandidate& best_of(const AmpedExploration& found);

}  // namespace waferloom::planner
