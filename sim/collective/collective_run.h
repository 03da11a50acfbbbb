#pragma once

#include <cstdint>
#include <vector>

#include "sim/collective.h"
#include "sim/collective/collective_phases.h"

namespace waferloom::sim {

/// `count` equal collectives of `bytes` each, at least 1.
struct CollectiveTask {
  Phases phases;
  std::int64_t bytes = 1;
  std::int64_t count = 1;
};

/// More transfers in a run are refused.
inline constexpr std::int64_t kMostSteppedTransfers = 20'000'000;

/// Sends the messages of every step over a network on the hardware's mesh. All tasks begin at once.
/// A tile begins a step of a task when all that it sends and receives in the task's earlier steps
/// has arrived. It does not wait for other tiles. A DRAM port serves transfers one after another in
/// each direction, first come first served: before they enter the mesh, or after they have left it.
/// The same input gives the same times. Throws RequestError, with one sentence, if a tile is dead
/// or cut off, if there are too many transfers, or if the network cannot represent the hardware.
CollectiveTimes run_collectives(const Hardware& hardware, const std::vector<CollectiveTask>& tasks,
                                const CollectiveRunOptions& options);

}  // namespace waferloom::sim
