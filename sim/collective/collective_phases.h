#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "model/collective.h"
#include "model/hardware.h"
#include "sim/mesh/tile_groups.h"

namespace waferloom::sim {

/// A part of a collective's bytes: parts / of, in bytes rounded up.
struct Share {
  std::int64_t parts = 1;
  std::int64_t of = 1;
  std::int64_t bytes_of(std::int64_t bytes) const;
  double value() const { return static_cast<double>(parts) / static_cast<double>(of); }
};

/// What one tile sends another in each step of a phase from `first` on, `count` times.
struct Flow {
  static constexpr std::size_t kNoPort = SIZE_MAX;
  static constexpr std::int64_t kEveryStep = std::numeric_limits<std::int64_t>::max();
  TilePlace from;
  TilePlace to;
  Share share;
  std::int64_t first = 0;
  std::int64_t count = kEveryStep;  ///< as many as the phase has steps
  std::size_t port = kNoPort;       ///< DRAM port that it comes through, or goes to
  bool out = false;                 ///< to the port
  /// Whether it takes part in a step.
  bool sends_in(std::int64_t step) const { return step >= first && step - first < count; }
};

/// Steps that are alike: in each the flows send at once, and no tile begins the next before what it
/// sends and gets in this one is through.
struct Phase {
  std::int64_t steps = 1;
  std::vector<Flow> flows;
};
using Phases = std::vector<Phase>;

/// More flows at once are refused: they would not fit into memory.
inline constexpr std::int64_t kMostFlows = 20'000'000;

/// Throws RequestError, with one sentence that says what to do, where flows are too many.
void check_flow_count(std::int64_t flows);

/// How a group does something together; no phases for a group of one. `groups` are the hardware's,
/// of which hierarchical is made. Throws RequestError, with one sentence, where kind and
/// algorithm do not go together (all-to-all in a tree), the group is not what the algorithm needs
/// (2-d: as many tiles in every row), or there would be too many flows. O(flows): members for each
/// phase, members² for direct and all-to-all.
Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                         const Grouping& groups);

/// The same of several groups at once, which together have no more than kMostFlows.
Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const std::vector<TileGroup>& of, const Grouping& groups);

/// Flows of that, without making them. Throws, as above, where a group is not what the algorithm
/// needs. O(members · log members).
std::int64_t flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                        const std::vector<TileGroup>& of, const Grouping& groups);

/// Every tile reads from the DRAM port nearest to it, or writes there, in one step. Throws
/// RequestError where the hardware has no such port that works. O(tiles · ports).
Phases memory_phases(const Hardware& hardware, const TileGroup& tiles, bool writes);

/// What several do at once, step by step side by side. Throws as check_flow_count does: phases of
/// unlike lengths are cut, so there may be more flows than in all parts. O(flows).
Phases at_once(std::vector<Phases> parts);
/// The same behind one another.
void append(Phases& phases, Phases more);
/// The same of a part of the bytes.
Phases scaled(Phases phases, const Share& share);
/// Steps altogether.
std::int64_t step_count(const Phases& phases);

}  // namespace waferloom::sim
