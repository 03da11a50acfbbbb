#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "sim/tile_groups.h"

namespace waferloom::sim {

/// A part of a collective's bytes: parts / of, in bytes rounded up.
struct Share {
  std::int64_t parts = 1;
  std::int64_t of = 1;
  std::int64_t bytes_of(std::int64_t bytes) const;
  double value() const { return static_cast<double>(parts) / static_cast<double>(of); }
};

/// What a tile sends to another tile in `count` steps of a phase, from step `first` on.
struct Flow {
  static constexpr std::size_t kNoPort = SIZE_MAX;
  static constexpr std::int64_t kEveryStep = std::numeric_limits<std::int64_t>::max();
  TilePlace from;
  TilePlace to;
  Share share;
  std::int64_t first = 0;
  std::int64_t count = kEveryStep;  ///< kEveryStep: as many as the phase has steps
  std::size_t port = kNoPort;       ///< the DRAM port that it comes from or goes to
  bool out = false;                 ///< true: to the port
  /// Whether it takes part in a step.
  bool sends_in(std::int64_t step) const { return step >= first && step - first < count; }
};

/// Equal steps. In each step all flows send at once. A tile begins the next step when all that it
/// sends and receives in this step has arrived.
struct Phase {
  std::int64_t steps = 1;
  std::vector<Flow> flows;
};
using Phases = std::vector<Phase>;

/// More flows in a request are refused: they would not fit into memory.
inline constexpr std::int64_t kMostFlows = 20'000'000;

/// Throws RequestError, a sentence that says what to do, if there are more than kMostFlows.
void check_flow_count(std::int64_t flows);

/// Throws InfeasibleError: what is dead is one of two tiles that a flow joins, or cuts them off.
[[noreturn]] void throw_cut_group(const TilePlace& from, const TilePlace& to);

/// The phases of a collective in a group. A group of a single tile has no phases. `groups` are the
/// hardware's groups of tiles; the hierarchical algorithm uses them. O(flows): members for each
/// phase, members² for direct and all-to-all. Throws RequestError, with one sentence, in these
/// cases: the algorithm does not know the kind (all-to-all in a tree); the group is not what the
/// algorithm needs (2-d: equally many tiles in every row); there would be too many flows.
Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                         const Grouping& groups);

/// The phases of several groups at once, with no more than kMostFlows together.
Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const std::vector<TileGroup>& of, const Grouping& groups);

/// The number of flows of collective_phases, without making them. Throws, as above, if a group is
/// not what the algorithm needs. O(members · log members).
std::int64_t flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                        const std::vector<TileGroup>& of, const Grouping& groups);

/// A single step in which every tile reads from its nearest DRAM port, or writes there. Throws
/// RequestError if the hardware has no DRAM port that works. O(tiles · ports).
Phases memory_phases(const Hardware& hardware, const TileGroup& tiles, bool writes);

/// Merges lists of phases that run at once, step by step. Phases of different lengths are cut, so
/// there may be more flows than in all parts. Throws as check_flow_count does. O(flows).
Phases at_once(std::vector<Phases> parts);
/// Appends phases that run after the others.
void append(Phases& phases, Phases more);
/// The same phases for a share of the bytes.
Phases scaled(Phases phases, const Share& share);
/// The number of steps of all phases.
std::int64_t step_count(const Phases& phases);

}  // namespace waferloom::sim
