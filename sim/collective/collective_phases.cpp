#include "sim/collective/collective_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "kernels/int128.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "sim/collective/collective_levels.h"
#include "sim/collective/collective_patterns.h"
#include "sim/mesh/port_hops.h"

// Problem: build the phases of a collective, for a group or for several groups at once.
// Idea: the algorithm gives the phases of each group. Groups run side by side, step by step. Phases
// of different lengths are cut where the first of them ends, and the pieces are merged. Flows are
// counted first, so that a request with too many is refused before it takes memory.
// Source: ours; the algorithms are in collective_patterns.h and collective_levels.h.
// Cost: O(flows).
namespace waferloom::sim {
namespace {

std::string words(CollectiveKind kind, CollectiveAlgorithm algorithm) {
  return std::string(collective_name(kind)) + " " + std::string(algorithm_name(algorithm)) + ": ";
}

/// The number of flows of a group of at least two members.
std::int64_t flow_count_of(CollectiveKind kind, CollectiveAlgorithm algorithm,
                           const TileGroup& group, const Grouping& groups) {
  if (algorithm == CollectiveAlgorithm::two_d || algorithm == CollectiveAlgorithm::hierarchical) {
    return two_level_flow_count(kind, algorithm, group, groups);
  }
  return pattern_flow_count(kind, algorithm, static_cast<std::int64_t>(group.size()));
}

Phases phases_of(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                 const Grouping& groups) {
  switch (algorithm) {
    case CollectiveAlgorithm::ring:
      return ring_phases(kind, group);
    case CollectiveAlgorithm::bidirectional:
      return bidirectional_phases(kind, group);
    case CollectiveAlgorithm::tree:
      return tree_phases(kind, group);
    case CollectiveAlgorithm::direct:
      return direct_phases(kind, group);
    case CollectiveAlgorithm::two_d:
    case CollectiveAlgorithm::hierarchical:
      return two_level_phases(kind, algorithm, group, groups);
  }
  return {};
}

/// Walks over lists of phases that run side by side, and stops wherever a phase ends.
class SideBySide {
 public:
  /// `parts` has to live longer. Only the numbers of steps are read.
  explicit SideBySide(const std::vector<Phases>& parts) : parts_(parts), places_(parts.size()) {}

  /// Moves to the next stop. Answers the steps that all unfinished parts have before one of their
  /// phases ends; 0 if all parts are finished.
  std::int64_t next() {
    for_each([&](std::size_t part, std::size_t at, std::int64_t begin) {
      const bool ends = begin + steps_ == parts_[part][at].steps;
      places_[part] = ends ? Place{at + 1, 0} : Place{at, begin + steps_};
    });
    steps_ = 0;
    for_each([&](std::size_t part, std::size_t at, std::int64_t begin) {
      const std::int64_t left = parts_[part][at].steps - begin;
      steps_ = steps_ == 0 ? left : std::min(steps_, left);
    });
    return steps_;
  }
  /// Calls visit(part, index of its phase, step of that phase) for all unfinished parts.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (places_[i].phase < parts_[i].size()) visit(i, places_[i].phase, places_[i].step);
    }
  }

 private:
  struct Place {
    std::size_t phase = 0;
    std::int64_t step = 0;
  };
  const std::vector<Phases>& parts_;
  std::vector<Place> places_;
  std::int64_t steps_ = 0;
};

/// Calls add(flow) for the flows in the steps [begin, end) of a phase. Steps are renumbered from 0.
template <typename Add>
void for_each_of_slice(const Phase& phase, std::int64_t begin, std::int64_t end, const Add& add) {
  const bool is_whole = begin == 0 && end == phase.steps;
  for (Flow flow : phase.flows) {
    if (!is_whole) {
      const std::int64_t count = std::min(flow.count, phase.steps - flow.first);
      const std::int64_t first = std::max(flow.first, begin);
      const std::int64_t last = std::min(flow.first + count, end);
      if (first >= last) continue;
      flow.first = first - begin;
      flow.count = last - first;
    }
    add(flow);
  }
}

/// The phases of groups at once where each group's are as many and as long, as those of equal
/// groups are: nothing has to be cut, and no group's are kept. Nothing where they are not.
std::optional<Phases> alike_at_once(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                    const std::vector<TileGroup>& of, const Grouping& groups,
                                    std::int64_t flows) {
  Phases merged;
  for (const TileGroup& group : of) {
    if (group.size() < 2) continue;
    Phases next = phases_of(kind, algorithm, group, groups);
    if (merged.empty()) {
      merged = std::move(next);
      if (merged.size() == 1) merged.front().flows.reserve(static_cast<std::size_t>(flows));
      continue;
    }
    const bool is_alike =
        std::equal(next.begin(), next.end(), merged.begin(), merged.end(),
                   [](const Phase& a, const Phase& b) { return a.steps == b.steps; });
    if (!is_alike) return std::nullopt;
    for (std::size_t i = 0; i < next.size(); ++i) {
      std::vector<Flow>& all = merged[i].flows;
      all.insert(all.end(), next[i].flows.begin(), next[i].flows.end());
    }
  }
  return merged;
}

/// The number of flows that at_once would make.
std::int64_t flows_at_once(const std::vector<Phases>& parts) {
  std::int64_t flows = 0;
  SideBySide cuts(parts);
  while (const std::int64_t steps = cuts.next()) {
    cuts.for_each([&](std::size_t part, std::size_t at, std::int64_t begin) {
      for_each_of_slice(parts[part][at], begin, begin + steps, [&](const Flow&) { ++flows; });
    });
  }
  return flows;
}

}  // namespace

std::int64_t Share::bytes_of(std::int64_t bytes) const {
  return static_cast<std::int64_t>((Int128(bytes) * parts + of - 1) / of);
}

void check_flow_count(std::int64_t flows) {
  if (flows <= kMostFlows) return;
  throw RequestError(
      fmt::format("there would be {} flows, more than {}: choose fewer tiles, groups, kinds or "
                  "adapters, or another algorithm",
                  flows, kMostFlows));
}

std::int64_t flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                        const std::vector<TileGroup>& of, const Grouping& groups) {
  std::int64_t flows = 0;
  try {
    for (const TileGroup& group : of) {
      if (group.size() > 1) flows += flow_count_of(kind, algorithm, group, groups);
    }
  } catch (const RequestError& error) {
    throw RequestError(words(kind, algorithm) + error.what());
  }
  return flows;
}

Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                         const Grouping& groups) {
  return collective_phases(kind, algorithm, std::vector<TileGroup>{group}, groups);
}

Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const std::vector<TileGroup>& of, const Grouping& groups) {
  const std::int64_t flows = flow_count(kind, algorithm, of, groups);
  try {
    check_flow_count(flows);
    if (auto alike = alike_at_once(kind, algorithm, of, groups, flows)) return *std::move(alike);
    std::vector<Phases> parts;
    for (const TileGroup& group : of) {
      if (group.size() > 1) parts.push_back(phases_of(kind, algorithm, group, groups));
    }
    return at_once(std::move(parts));
  } catch (const RequestError& error) {
    throw RequestError(words(kind, algorithm) + error.what());
  }
}

void throw_cut_group(const TilePlace& from, const TilePlace& to) {
  throw InfeasibleError("a group of tiles is cut by what is dead: no way leads from tile " +
                        tile_text(from) + " to tile " + tile_text(to));
}

Phases memory_phases(const Hardware& hardware, const TileGroup& tiles, bool writes) {
  Phase phase;
  const LiveParts parts(hardware);
  const Living living(hardware);
  const auto part = [&](const TilePlace& tile) {
    return parts.part(static_cast<NodeIndex>(tile.y * hardware.wafer.width + tile.x));
  };
  if (hardware.dram_ports.empty()) throw RequestError("the hardware has no DRAM port");
  for (const TilePlace& tile : tiles) {
    Flow flow;
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < hardware.dram_ports.size(); ++i) {
      const TilePlace at = port_tile(hardware.wafer, hardware.dram_ports[i]);
      const std::int64_t hops = hops_over(hardware, at, {tile.x, tile.y, 1, 1});
      if (hops >= nearest || living.state(at) == TileState::dead) continue;
      if (part(at) != part(tile)) continue;
      nearest = hops;
      flow.port = i;
      flow.out = writes;
      flow.from = writes ? tile : at;
      flow.to = writes ? at : tile;
    }
    if (flow.port == Flow::kNoPort) {
      throw InfeasibleError("no DRAM port is joined to tile " + tile_text(tile) +
                            ": dead tiles or links cut it off");
    }
    phase.flows.push_back(flow);
  }
  return {std::move(phase)};
}

Phases at_once(std::vector<Phases> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  check_flow_count(flows_at_once(parts));
  Phases merged;
  SideBySide cuts(parts);
  while (const std::int64_t steps = cuts.next()) {
    Phase together{steps, {}};
    std::size_t most = 0;
    cuts.for_each([&](std::size_t part, std::size_t at, std::int64_t /*begin*/) {
      most += parts[part][at].flows.size();
    });
    together.flows.reserve(most);
    cuts.for_each([&](std::size_t part, std::size_t at, std::int64_t begin) {
      Phase& phase = parts[part][at];
      for_each_of_slice(phase, begin, begin + steps,
                        [&](const Flow& flow) { together.flows.push_back(flow); });
      if (begin + steps == phase.steps) phase.flows = {};  // frees memory for the merged flows
    });
    merged.push_back(std::move(together));
  }
  return merged;
}

void append(Phases& phases, Phases more) {
  for (Phase& phase : more) phases.push_back(std::move(phase));
}

Phases scaled(Phases phases, const Share& share) {
  for (Phase& phase : phases) {
    for (Flow& flow : phase.flows) {
      flow.share = {flow.share.parts * share.parts, flow.share.of * share.of};
    }
  }
  return phases;
}

std::int64_t step_count(const Phases& phases) {
  std::int64_t steps = 0;
  for (const Phase& phase : phases) steps += phase.steps;
  return steps;
}

}  // namespace waferloom::sim
