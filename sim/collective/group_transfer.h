#pragma once

#include "sim/collective.h"
#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

/// The terms of Eq. 7 and 8.
struct TransferPhases {
  Phases source;    ///< all-reduce (sum_first) or reduce
  Phases between;   ///< from adapter to adapter
  Phases adapters;  ///< all-reduce among adapters; of sum_first nothing
  Phases destination;
};

/// Throws RequestError, with one sentence, where groups share a tile, have fewer tiles
/// than there are adapters, are not what an algorithm needs, or there would be too many flows.
/// O(flows).
TransferPhases transfer_phases(const GroupTransfer& transfer, const Grouping& groups);
/// All of them behind one another.
Phases whole(const TransferPhases& phases);

}  // namespace waferloom::sim
