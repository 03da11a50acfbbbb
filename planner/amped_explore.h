#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/amped/amped.h"

namespace waferloom::planner {

/// What an exploration lets pass.
struct AmpedSearch {
  bool sensible = true;  ///< refuses what amped_refusal() does; the paper's study does not
  bool fits = false;     ///< refuses what its memory has no room for
  /// Choose for each candidate the fastest number of micro-batches among the divisors of a
  /// replica's batch, of equals the fewest. If not, the training's number stands.
  bool choose_micro_batches = false;
  int threads = 1;
};

struct AmpedCandidate {
  AmpedDegrees degrees{};
  AmpedBreakdown time{};
  double memory_bytes = 0;  ///< of the fullest chip (amped_memory.h)
  std::string refusal{};    ///< why it is none; empty if it is one
};

struct AmpedExploration {
  std::vector<AmpedCandidate> all;  ///< every way to cut, in the order of enumeration
  std::vector<std::size_t> ranked;  ///< places in `all` of those that pass, fastest first
};

/// All ways to cut at one level: ordered factorisations of `chips` ≥ 1 into tensor, pipeline and
/// data degrees, tensor slowest. O(divisors²).
std::vector<AmpedLevel> level_degrees(std::int64_t chips);

/// Why degrees do not fit a network and batch, as one sentence: "16 ways of tensor parallelism do
/// not divide 40 heads". Empty if they fit. Degrees do not fit if
/// - the tensor degree does not divide the heads, or there are more stages than layers;
/// - the ways to share experts do not divide the experts, or do not divide the replicas;
/// - replicas do not divide the batch, or micro-batches do not divide a replica's part of it.
std::string amped_refusal(const AmpedNetwork& network, const AmpedDegrees& degrees,
                          const AmpedTraining& training);

/// The training with the number of micro-batches, of all that divide a replica's batch, that is
/// fastest; of equals the fewest. With `fits` only numbers that fit the memory count; if none does,
/// it is the replica's batch. The training itself if its batch cannot be divided among the
/// replicas, with `micro_batches` as they are.
AmpedTraining with_best_micro_batches(const AmpedNetwork& network, const System& system,
                                      const AmpedDegrees& degrees, const AmpedTraining& training,
                                      bool fits);

/// Evaluates every pair of level_degrees() inside and among the nodes of a system and ranks them by
/// time, of equals the first enumerated first: the same at any number of threads. Throws as
/// amped_time() does.
AmpedExploration explore_amped(const AmpedNetwork& network, const System& system,
                               const AmpedTraining& training, const AmpedSearch& search);

}  // namespace waferloom::planner
