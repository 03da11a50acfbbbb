#include "sim/collective/collective_levels.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "model/errors.h"
#include "sim/collective/collective_patterns.h"

namespace waferloom::sim {
namespace {

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
  const auto fail = [] {
    throw RequestError(
        "every row of the group needs tiles in the same columns: choose a rectangle, or another "
        "algorithm");
  };
  const TilePlace& root = group.front();
  std::vector<TileGroup> inner;
  for (auto& [y, row] : rows) {
    std::sort(row.begin(), row.end(),
              [](const TilePlace& a, const TilePlace& b) { return a.x < b.x; });
    const auto first = std::find_if(row.begin(), row.end(),
                                    [&](const TilePlace& tile) { return tile.x == root.x; });
    if (first == row.end() || row.size() != rows.at(root.y).size()) fail();
    std::rotate(row.begin(), first, row.end());
    inner.push_back(row);
    if (y == root.y) std::rotate(inner.begin(), inner.end() - 1, inner.end());
  }
  for (const TileGroup& row : inner) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].x != inner.front()[i].x) fail();
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
      throw RequestError(
          "the group has more tiles in one of the hardware's groups than in another: choose as "
          "many in each, or another algorithm");
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

/// What all groups of a level do at once by rings, each a part of the bytes.
struct LevelPart {
  CollectiveKind kind;
  std::span<const TileGroup> groups;
  Share share;
  bool is_empty() const { return groups.front().size() < 2; }
};

std::vector<LevelPart> level_parts(CollectiveKind kind, const TwoLevels& levels) {
  const Share part{1, static_cast<std::int64_t>(levels.inner.front().size())};
  const std::span<const TileGroup> inner(levels.inner);
  const std::span<const TileGroup> outer(levels.outer);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {{CollectiveKind::reduce_scatter, inner, {}},
              {kind, outer, part},
              {CollectiveKind::all_gather, inner, {}}};
    case CollectiveKind::reduce_scatter:
      return {{kind, inner, {}}, {kind, outer, part}};
    case CollectiveKind::all_gather:
      return {{kind, outer, part}, {kind, inner, {}}};
    case CollectiveKind::all_to_all:
      return {{kind, inner, {}}, {kind, outer, {}}};
    case CollectiveKind::broadcast:
      return {{kind, outer.first(1), {}}, {kind, inner, {}}};
    case CollectiveKind::reduce:
      return {{kind, inner, {}}, {kind, outer.first(1), {}}};
  }
  return {};
}

std::int64_t count_flows(const std::vector<LevelPart>& parts) {
  std::int64_t flows = 0;
  for (const LevelPart& part : parts) {
    if (part.is_empty()) continue;
    const auto members = static_cast<std::int64_t>(part.groups.front().size());
    flows += static_cast<std::int64_t>(part.groups.size()) *
             pattern_flow_count(part.kind, CollectiveAlgorithm::ring, members);
  }
  return flows;
}

Phases phases_of(const std::vector<LevelPart>& parts) {
  Phases phases;
  for (const LevelPart& part : parts) {
    if (part.is_empty()) continue;
    std::vector<Phases> all;
    for (const TileGroup& group : part.groups) all.push_back(ring_phases(part.kind, group));
    append(phases, scaled(at_once(std::move(all)), part.share));
  }
  return phases;
}

TwoLevels two_levels(CollectiveAlgorithm algorithm, const TileGroup& group,
                     const Grouping& groups) {
  return algorithm == CollectiveAlgorithm::two_d ? rows_and_columns(group)
                                                 : blocks_and_peers(group, groups);
}

}  // namespace

std::int64_t two_level_flow_count(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                  const TileGroup& group, const Grouping& groups) {
  const TwoLevels levels = two_levels(algorithm, group, groups);
  return count_flows(level_parts(kind, levels));
}

Phases two_level_phases(CollectiveKind kind, CollectiveAlgorithm algorithm, const TileGroup& group,
                        const Grouping& groups) {
  const TwoLevels levels = two_levels(algorithm, group, groups);
  return phases_of(level_parts(kind, levels));
}

}  // namespace waferloom::sim
