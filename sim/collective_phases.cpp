#include "sim/collective_phases.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/int128.h"
#include "sim/collective_patterns.h"

namespace waferloom {
namespace {

std::string words(CollectiveKind kind, CollectiveAlgorithm algorithm) {
  return std::string(collective_name(kind)) + " " + std::string(algorithm_name(algorithm)) + ": ";
}

/// A group divided twice: each member is in one inner group and one outer group, which has those of
/// the same place in all inner ones.
struct TwoLevels {
  std::vector<TileGroup> inner;
  std::vector<TileGroup> outer;
};

TwoLevels levels_of(std::vector<TileGroup> inner) {
  TwoLevels levels;
  levels.outer.resize(inner.front().size());
  for (const TileGroup& group : inner) {
    for (std::size_t i = 0; i < group.size(); ++i) levels.outer[i].push_back(group[i]);
  }
  levels.inner = std::move(inner);
  return levels;
}

/// Rows, the first member's row first, and each row with the first member's column first.
TwoLevels rows_and_columns(const TileGroup& group) {
  std::map<std::int64_t, TileGroup> rows;
  for (const TilePlace& tile : group) rows[tile.y].push_back(tile);
  const TilePlace& root = group.front();
  std::vector<TileGroup> inner;
  for (auto& [y, row] : rows) {
    std::sort(row.begin(), row.end(),
              [](const TilePlace& a, const TilePlace& b) { return a.x < b.x; });
    const auto first = std::find_if(row.begin(), row.end(),
                                    [&](const TilePlace& tile) { return tile.x == root.x; });
    if (first == row.end() || row.size() != rows.at(root.y).size()) {
      throw std::invalid_argument("2-d: every row of the group needs tiles in the same columns");
    }
    std::rotate(row.begin(), first, row.end());
    inner.push_back(row);
    if (y == root.y) std::rotate(inner.begin(), inner.end() - 1, inner.end());
  }
  for (const TileGroup& row : inner) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].x == inner.front()[i].x) continue;
      throw std::invalid_argument("2-d: every row of the group needs tiles in the same columns");
    }
  }
  return levels_of(std::move(inner));
}

/// The part of a group in each of the hardware's groups, in the order of their first members.
TwoLevels blocks_and_peers(const TileGroup& group, const Grouping& groups) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
  std::vector<TileGroup> inner;
  for (const TilePlace& tile : group) {
    const std::pair at{groups.columns > 0 ? tile.x / groups.columns : 0,
                       groups.rows > 0 ? tile.y / groups.rows : 0};
    const auto [place, is_new] = places.emplace(at, inner.size());
    if (is_new) inner.emplace_back();
    inner[place->second].push_back(tile);
  }
  for (TileGroup& block : inner) {
    if (block.size() != inner.front().size()) {
      throw std::invalid_argument(
          "hierarchical: the group has more tiles in one of the hardware's groups than in another");
    }
  }
  // Blocks of one shape have rings of one order, so peers lie alike; the root comes first.
  std::ptrdiff_t root = 0;
  for (TileGroup& block : inner) {
    block = ring_through(std::move(block));
    if (&block == &inner.front()) {
      root = std::find(block.begin(), block.end(), group.front()) - block.begin();
    }
    std::rotate(block.begin(), block.begin() + root, block.end());
  }
  return levels_of(std::move(inner));
}

/// What all groups of a level do at once; nothing where they have one member.
Phases rings(CollectiveKind kind, const std::vector<TileGroup>& groups) {
  if (groups.front().size() < 2) return {};
  std::vector<Phases> all;
  for (const TileGroup& group : groups) all.push_back(ring_phases(kind, group));
  return at_once(all);
}

Phases two_level_phases(CollectiveKind kind, const TwoLevels& levels) {
  const Share part{1, static_cast<std::int64_t>(levels.inner.front().size())};
  Phases phases;
  const auto inner = [&](CollectiveKind what) { append(phases, rings(what, levels.inner)); };
  const auto outer = [&](CollectiveKind what) {
    append(phases, scaled(rings(what, levels.outer), part));
  };
  switch (kind) {
    case CollectiveKind::all_reduce:
      inner(CollectiveKind::reduce_scatter);
      outer(CollectiveKind::all_reduce);
      inner(CollectiveKind::all_gather);
      break;
    case CollectiveKind::reduce_scatter:
      inner(kind);
      outer(kind);
      break;
    case CollectiveKind::all_gather:
      outer(kind);
      inner(kind);
      break;
    case CollectiveKind::all_to_all:
      inner(kind);
      append(phases, rings(kind, levels.outer));
      break;
    case CollectiveKind::broadcast:
      append(phases, rings(kind, {levels.outer.front()}));
      append(phases, rings(kind, levels.inner));
      break;
    case CollectiveKind::reduce:
      append(phases, rings(kind, levels.inner));
      append(phases, rings(kind, {levels.outer.front()}));
      break;
  }
  return phases;
}

/// The steps of a phase from `begin` to before `end`, as a phase.
Phase slice(const Phase& phase, std::int64_t begin, std::int64_t end) {
  if (begin == 0 && end == phase.steps) return phase;
  Phase part{end - begin, {}};
  for (Flow flow : phase.flows) {
    const std::int64_t count = std::min(flow.count, phase.steps - flow.first);
    const std::int64_t first = std::max(flow.first, begin);
    const std::int64_t last = std::min(flow.first + count, end);
    if (first >= last) continue;
    flow.first = first - begin;
    flow.count = last - first;
    part.flows.push_back(flow);
  }
  return part;
}

}  // namespace

std::int64_t Share::bytes_of(std::int64_t bytes) const {
  return static_cast<std::int64_t>((Int128(bytes) * parts + of - 1) / of);
}

Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                         const Grouping& groups) {
  if (group.size() < 2) return {};
  try {
    switch (algorithm) {
      case CollectiveAlgorithm::ring:
        return ring_phases(kind, group);
      case CollectiveAlgorithm::bidirectional:
        return bidirectional_phases(kind, group);
      case CollectiveAlgorithm::two_d:
        return two_level_phases(kind, rows_and_columns(group));
      case CollectiveAlgorithm::tree:
        return tree_phases(kind, group);
      case CollectiveAlgorithm::hierarchical:
        return two_level_phases(kind, blocks_and_peers(group, groups));
      case CollectiveAlgorithm::direct:
        return direct_phases(kind, group);
    }
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(words(kind, algorithm) + error.what());
  }
  return {};
}

Phases collective_phases(CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const std::vector<TileGroup>& of, const Grouping& groups) {
  std::vector<Phases> parts;
  for (const TileGroup& group : of) {
    parts.push_back(collective_phases(kind, algorithm, group, groups));
  }
  return at_once(parts);
}

Phases memory_phases(const Hardware& hardware, const TileGroup& tiles, bool writes) {
  Phase phase;
  for (const TilePlace& tile : tiles) {
    Flow flow;
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < hardware.dram_ports.size(); ++i) {
      const TilePlace at = port_tile(hardware.wafer, hardware.dram_ports[i]);
      const std::int64_t hops = std::abs(at.x - tile.x) + std::abs(at.y - tile.y);
      if (hops >= nearest || !is_clear(hardware.wafer, {at.x, at.y, 1, 1})) continue;
      nearest = hops;
      flow.port = i;
      flow.out = writes;
      flow.from = writes ? tile : at;
      flow.to = writes ? at : tile;
    }
    if (flow.port == Flow::kNoPort) throw std::invalid_argument("the hardware has no DRAM port");
    phase.flows.push_back(flow);
  }
  return {std::move(phase)};
}

Phases at_once(const std::vector<Phases>& parts) {
  struct Place {
    std::size_t phase = 0;
    std::int64_t step = 0;
  };
  std::vector<Place> places(parts.size());
  Phases merged;
  for (;;) {
    std::int64_t steps = 0;  // that all who are not done have before their next phase
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (places[i].phase == parts[i].size()) continue;
      const std::int64_t left = parts[i][places[i].phase].steps - places[i].step;
      steps = steps == 0 ? left : std::min(steps, left);
    }
    if (steps == 0) return merged;
    merged.push_back({steps, {}});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Place& place = places[i];
      if (place.phase == parts[i].size()) continue;
      const Phase& phase = parts[i][place.phase];
      const Phase part = slice(phase, place.step, place.step + steps);
      merged.back().flows.insert(merged.back().flows.end(), part.flows.begin(), part.flows.end());
      place.step += steps;
      if (place.step == phase.steps) place = {place.phase + 1, 0};
    }
  }
}

void append(Phases& phases, const Phases& more) {
  phases.insert(phases.end(), more.begin(), more.end());
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

}  // namespace waferloom
