#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/collective/collective_phases.h"
#include "sim/network_kind.h"

namespace waferloom::sim {

/// A collective of so many bytes, at least 1, or several alike.
struct CollectiveTask {
  Phases phases;
  std::int64_t bytes = 1;
  std::int64_t count = 1;
};

/// How collectives are run step by step.
struct CollectiveRunOptions {
  NetworkKind network = NetworkKind::fair;
  NetworkOptions network_options = {};
  /// Ends the run early once true; asked now and then.
  std::function<bool()> stopped = nullptr;
};

/// What became of them.
struct CollectiveTimes {
  std::vector<Picoseconds>
      done;  ///< by task, each of several alike: when its last transfer arrived, or was written
  Picoseconds makespan = 0;  ///< the last of them
  std::int64_t transfers = 0;
  std::vector<std::int64_t> link_bytes;  ///< by LinkIndex
  std::uint64_t events = 0;
  std::optional<RateError> rate_error;  ///< of the fair network
  bool stopped = false;
};

/// More transfers in a run are refused.
inline constexpr std::int64_t kMostSteppedTransfers = 20'000'000;

/// Really sends what tasks that begin at once send in every step, over a network on the hardware's
/// mesh. A tile begins a step of a task when all that it sends and gets in the task's steps before
/// is through; nobody waits for others. A DRAM port serves one transfer after another in either
/// direction, first come first served, before it enters the mesh or once it has left it. Same
/// input, same times. Throws RequestError, with one sentence, where a tile is dead or cut
/// off, for too many transfers, and where the network cannot represent the hardware.
CollectiveTimes run_collectives(const Hardware& hardware, const std::vector<CollectiveTask>& tasks,
                                const CollectiveRunOptions& options);

}  // namespace waferloom::sim
