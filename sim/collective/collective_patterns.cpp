#include "sim/collective/collective_patterns.h"

#include <algorithm>
#include <utility>

#include "kernels/tile_parts.h"
#include "model/errors.h"

// Problem: say which tiles send what to whom in each step of a collective.
// Idea: a collective is a list of phases. A phase repeats the same flows for some steps. Rings pass
// parts to the next member. Chains send pieces one behind the other. Binomial trees double the
// distance. Direct patterns send everything at once.
// Source: textbook algorithms (Thakur, Rabenseifner and Gropp, 2005); the table is in
// docs/collectives.md.
// Cost: O(flows): P for a phase of P members, P^2 for direct and for all-to-all.
namespace waferloom::sim {
namespace {

std::int64_t size_of(const TileGroup& group) { return static_cast<std::int64_t>(group.size()); }

const TilePlace& member(const TileGroup& group, std::int64_t index) {
  return group[static_cast<std::size_t>(index)];
}

/// Adds flows from every member to the member `apart` places further in the group.
void add_round(const TileGroup& group, std::int64_t apart, const Share& share, Phase& phase) {
  const std::int64_t size = size_of(group);
  if (phase.flows.empty()) phase.flows.reserve(group.size());
  for (std::int64_t i = 0; i < size; ++i) {
    phase.flows.push_back(Flow{member(group, i), member(group, (i + apart + size) % size), share});
  }
}

/// Members along which pieces go one behind the other, away from the first member or towards it.
struct Chain {
  std::vector<std::int64_t> members;
  std::int64_t links() const { return static_cast<std::int64_t>(members.size()) - 1; }
};

Phase chain_phase(CollectiveKind kind, const TileGroup& group, const std::vector<Chain>& chains,
                  std::int64_t pieces) {
  std::int64_t longest = 0;
  for (const Chain& chain : chains) longest = std::max(longest, chain.links());
  Phase phase{pieces + longest - 1, {}};
  for (const Chain& chain : chains) {
    for (std::int64_t i = 0; i < chain.links(); ++i) {
      const TilePlace& near = member(group, chain.members[static_cast<std::size_t>(i)]);
      const TilePlace& far = member(group, chain.members[static_cast<std::size_t>(i) + 1]);
      // All of a reduction's chains reach the root together.
      const Flow flow = kind == CollectiveKind::broadcast
                            ? Flow{near, far, {1, pieces}, i, pieces}
                            : Flow{far, near, {1, pieces}, longest - 1 - i, pieces};
      phase.flows.push_back(flow);
    }
  }
  return phase;
}

Chain chain_of(std::int64_t links, bool backwards, std::int64_t size) {
  const std::int64_t direction = backwards ? -1 : 1;
  Chain chain;
  for (std::int64_t i = 0; i <= links; ++i) {
    chain.members.push_back((direction * i % size + size) % size);
  }
  return chain;
}

std::int64_t around(CollectiveKind kind, std::int64_t size) {
  return (kind == CollectiveKind::all_reduce ? 2 : 1) * (size - 1);
}

/// All-to-all takes the shorter way around. In step `step` each member sends this many parts of
/// 1 / (2 size) each way.
std::int64_t half_parts(std::int64_t size, std::int64_t step) {
  const std::int64_t farthest = size / 2;
  return 2 * (farthest - step + 1) - (size % 2 == 0 ? 1 : 0);
}

/// Distances of a binomial tree's steps from its root outwards.
std::vector<std::int64_t> tree_distances(std::int64_t size) {
  std::vector<std::int64_t> distances;
  for (std::int64_t apart = 1; apart < size; apart *= 2) distances.push_back(apart);
  std::reverse(distances.begin(), distances.end());
  return distances;
}

/// A step of a binomial tree. `outwards`: members that have the data send it over a distance of
/// `apart`; otherwise data flow back. `in_parts`: a flow carries the parts of the members beyond;
/// otherwise it carries everything.
Phase tree_step(const TileGroup& group, std::int64_t apart, bool outwards, bool in_parts) {
  const std::int64_t size = size_of(group);
  Phase phase;
  for (std::int64_t i = 0; i + apart < size; i += 2 * apart) {
    const std::int64_t beyond = std::min(apart, size - i - apart);
    const Share share = in_parts ? Share{beyond, size} : Share{};
    const TilePlace& near = member(group, i);
    const TilePlace& far = member(group, i + apart);
    phase.flows.push_back(outwards ? Flow{near, far, share} : Flow{far, near, share});
  }
  return phase;
}

void add_tree(const TileGroup& group, bool outwards, bool in_parts, Phases& phases) {
  std::vector<std::int64_t> distances = tree_distances(size_of(group));
  if (!outwards) std::reverse(distances.begin(), distances.end());
  for (const std::int64_t apart : distances) {
    phases.push_back(tree_step(group, apart, outwards, in_parts));
  }
}

/// Every member sends a part to every other member.
Phase exchange(const TileGroup& group) {
  Phase phase;
  for (const TilePlace& from : group) {
    for (const TilePlace& to : group) {
      if (!(from == to)) phase.flows.push_back(Flow{from, to, {1, size_of(group)}});
    }
  }
  return phase;
}

Phase star(const TileGroup& group, bool outwards) {
  Phase phase;
  for (std::int64_t i = 1; i < size_of(group); ++i) {
    phase.flows.push_back(outwards ? Flow{group.front(), member(group, i), {}}
                                   : Flow{member(group, i), group.front(), {}});
  }
  return phase;
}

}  // namespace

std::int64_t pattern_flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                std::int64_t members) {
  const bool has_root = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
  const std::int64_t others = members - 1;
  if (has_root) return others;
  switch (algorithm) {
    case CollectiveAlgorithm::direct:
      return members * others;
    case CollectiveAlgorithm::tree:
      return 2 * others;
    case CollectiveAlgorithm::bidirectional:
      return 2 * members * (kind == CollectiveKind::all_to_all ? members / 2 : 1);
    default:
      return members * (kind == CollectiveKind::all_to_all ? others : 1);
  }
}

Phases ring_phases(CollectiveKind kind, const TileGroup& group) {
  const std::int64_t size = size_of(group);
  if (kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce) {
    return {chain_phase(kind, group, {chain_of(size - 1, false, size)}, size)};
  }
  Phases phases;
  if (kind == CollectiveKind::all_to_all) {
    for (std::int64_t step = 1; step < size; ++step) {
      phases.emplace_back();
      add_round(group, 1, {size - step, size}, phases.back());
    }
    return phases;
  }
  phases.push_back({around(kind, size), {}});
  add_round(group, 1, {1, size}, phases.back());
  return phases;
}

Phases bidirectional_phases(CollectiveKind kind, const TileGroup& group) {
  const std::int64_t size = size_of(group);
  if (kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce) {
    std::vector<Chain> chains{chain_of(size / 2, false, size)};
    if (size > 2) chains.push_back(chain_of((size - 1) / 2, true, size));
    return {chain_phase(kind, group, chains, size)};
  }
  Phases phases;
  const auto add = [&](std::int64_t steps, const Share& share) {
    phases.push_back({steps, {}});
    add_round(group, 1, share, phases.back());
    add_round(group, -1, share, phases.back());
  };
  if (kind == CollectiveKind::all_to_all) {
    for (std::int64_t step = 1; step <= size / 2; ++step)
      add(1, {half_parts(size, step), 2 * size});
  } else {
    add(around(kind, size), {1, 2 * size});
  }
  return phases;
}

Phases tree_phases(CollectiveKind kind, const TileGroup& group) {
  Phases phases;
  switch (kind) {
    case CollectiveKind::all_to_all:
      throw RequestError(
          "all-to-all does not go along a tree: every member has something else for each other");
    case CollectiveKind::broadcast:
      add_tree(group, true, false, phases);
      break;
    case CollectiveKind::reduce:
      add_tree(group, false, false, phases);
      break;
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
      add_tree(group, false, false, phases);
      add_tree(group, true, kind == CollectiveKind::reduce_scatter, phases);
      break;
    case CollectiveKind::all_gather:
      add_tree(group, false, true, phases);
      add_tree(group, true, false, phases);
      break;
  }
  return phases;
}

Phases border_phases(const BorderRows& rows, const std::vector<TileGroup>& groups) {
  Phases phases(1);
  Phase& step = phases.front();
  std::size_t tiles = 0;
  for (const TileGroup& group : groups) tiles += group.size();
  const std::int64_t neighbours = parts_of(rows.before, rows.own) + parts_of(rows.behind, rows.own);
  const std::size_t others = groups.empty() ? 0 : groups.front().size() - 1;
  step.flows.reserve(tiles * std::min(others, static_cast<std::size_t>(neighbours)));
  for (const TileGroup& group : groups) {
    for (std::size_t to = 0; to < group.size(); ++to) {
      const auto take = [&](std::int64_t wanted, std::size_t most, bool is_before) {
        for (std::size_t away = 1; away <= most && wanted > 0; ++away) {
          const std::int64_t taken = std::min(wanted, rows.own);
          const TilePlace& from = group[is_before ? to - away : to + away];
          step.flows.push_back({from, group[to], {taken, rows.all()}});
          wanted -= taken;
        }
      };
      take(rows.before, to, true);
      take(rows.behind, group.size() - 1 - to, false);
    }
  }
  return phases;
}

Phases direct_phases(CollectiveKind kind, const TileGroup& group) {
  switch (kind) {
    case CollectiveKind::broadcast:
      return {star(group, true)};
    case CollectiveKind::reduce:
      return {star(group, false)};
    default:
      break;
  }
  Phases all;
  all.push_back(exchange(group));
  if (kind == CollectiveKind::all_reduce) all.front().steps = kStepsOfDirectAllReduce;
  return all;
}

}  // namespace waferloom::sim
