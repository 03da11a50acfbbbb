#include "sim/collective/group_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/errors.h"
#include "sim/collective.h"

namespace waferloom::sim {
namespace {

/// Twice the middle of a group's box.
TilePlace middle(const TileGroup& group) {
  TilePlace low = group.front();
  TilePlace high = group.front();
  for (const TilePlace& tile : group) {
    low = {std::min(low.x, tile.x), std::min(low.y, tile.y)};
    high = {std::max(high.x, tile.x), std::max(high.y, tile.y)};
  }
  return {low.x + high.x, low.y + high.y};
}

/// A group cut into runs of its ring, each with its adapter first.
std::vector<TileGroup> runs_of(const TileGroup& group, std::int64_t count,
                               const TilePlace& facing) {
  const auto distance = [&](const TilePlace& tile) {
    return std::abs(2 * tile.x - facing.x) + std::abs(2 * tile.y - facing.y);
  };
  std::vector<TileGroup> runs;
  const auto size = static_cast<std::int64_t>(group.size());
  for (std::int64_t i = 0; i < count; ++i) {
    TileGroup run(group.begin() + i * size / count, group.begin() + (i + 1) * size / count);
    const auto adapter = std::min_element(
        run.begin(), run.end(),
        [&](const TilePlace& a, const TilePlace& b) { return distance(a) < distance(b); });
    std::rotate(run.begin(), adapter, run.end());
    runs.push_back(std::move(run));
  }
  return runs;
}

/// In the order of their adapters across the direction from group to group.
void sort_across(std::vector<TileGroup>& runs, bool along_x) {
  std::stable_sort(runs.begin(), runs.end(), [&](const TileGroup& a, const TileGroup& b) {
    const TilePlace& place = a.front();
    const TilePlace& other = b.front();
    return along_x ? std::pair(place.y, place.x) < std::pair(other.y, other.x)
                   : std::pair(place.x, place.y) < std::pair(other.x, other.y);
  });
}

void check(const GroupTransfer& transfer) {
  const std::size_t least = std::min(transfer.source.size(), transfer.destination.size());
  if (transfer.adapters < 1 || transfer.adapters > static_cast<std::int64_t>(least)) {
    throw RequestError(
        fmt::format("expected 1 to {} adapters, found {}", least, transfer.adapters));
  }
  std::set<std::pair<std::int64_t, std::int64_t>> there;
  for (const TilePlace& tile : transfer.source) there.emplace(tile.x, tile.y);
  for (const TilePlace& tile : transfer.destination) {
    if (!there.contains({tile.x, tile.y})) continue;
    throw RequestError("source and destination share a tile");
  }
}

/// A part of the sum from each adapter to the whole group, all at once.
Phases parts_to_all(const TileGroup& group, const std::vector<TileGroup>& runs,
                    CollectiveAlgorithm spread, const Grouping& groups) {
  std::vector<Phases> all;
  const Share part{1, static_cast<std::int64_t>(runs.size())};
  for (const TileGroup& run : runs) {
    TileGroup from_adapter = group;
    std::rotate(from_adapter.begin(),
                std::find(from_adapter.begin(), from_adapter.end(), run.front()),
                from_adapter.end());
    all.push_back(
        scaled(collective_phases(CollectiveKind::broadcast, spread, from_adapter, groups), part));
  }
  return at_once(std::move(all));
}

/// Both groups' runs, and the destination's adapters.
struct Runs {
  std::vector<TileGroup> source;
  std::vector<TileGroup> destination;
  TileGroup adapters;
};

Runs runs_of(const GroupTransfer& transfer) {
  const TilePlace from = middle(transfer.source);
  const TilePlace to = middle(transfer.destination);
  Runs runs{runs_of(transfer.source, transfer.adapters, to),
            runs_of(transfer.destination, transfer.adapters, from),
            {}};
  const bool along_x = std::abs(from.x - to.x) >= std::abs(from.y - to.y);
  sort_across(runs.source, along_x);
  sort_across(runs.destination, along_x);
  for (const TileGroup& run : runs.destination) runs.adapters.push_back(run.front());
  return runs;
}

/// Flows of all terms together.
std::int64_t flow_count_of(const GroupTransfer& transfer, const Runs& runs,
                           const Grouping& groups) {
  const auto count = [&](CollectiveKind kind, CollectiveAlgorithm algorithm,
                         const std::vector<TileGroup>& of) {
    return flow_count(kind, algorithm, of, groups);
  };
  if (transfer.strategy == TransferStrategy::sum_first) {
    return count(CollectiveKind::all_reduce, transfer.all_reduce, {transfer.source}) +
           transfer.adapters *
               (1 + count(CollectiveKind::broadcast, transfer.spread, {transfer.destination}));
  }
  return count(CollectiveKind::reduce, transfer.spread, runs.source) + transfer.adapters +
         count(CollectiveKind::all_reduce, transfer.all_reduce, {runs.adapters}) +
         count(CollectiveKind::broadcast, transfer.spread, runs.destination);
}

}  // namespace

TransferPhases transfer_phases(const GroupTransfer& transfer, const Grouping& groups) {
  check(transfer);
  const Runs runs = runs_of(transfer);
  check_flow_count(flow_count_of(transfer, runs, groups));
  const auto phases_of = [&](CollectiveKind kind, CollectiveAlgorithm algorithm,
                             const std::vector<TileGroup>& of) {
    return collective_phases(kind, algorithm, of, groups);
  };
  const bool sums_first = transfer.strategy == TransferStrategy::sum_first;
  const Share share = sums_first ? Share{1, transfer.adapters} : Share{};
  TransferPhases phases;
  Phase between;
  for (std::size_t i = 0; i < runs.adapters.size(); ++i) {
    between.flows.push_back(Flow{runs.source[i].front(), runs.adapters[i], share});
  }
  phases.between.push_back(std::move(between));
  if (sums_first) {
    phases.source = phases_of(CollectiveKind::all_reduce, transfer.all_reduce, {transfer.source});
    phases.destination =
        parts_to_all(transfer.destination, runs.destination, transfer.spread, groups);
    return phases;
  }
  phases.source = phases_of(CollectiveKind::reduce, transfer.spread, runs.source);
  phases.adapters = phases_of(CollectiveKind::all_reduce, transfer.all_reduce, {runs.adapters});
  phases.destination = phases_of(CollectiveKind::broadcast, transfer.spread, runs.destination);
  return phases;
}

Phases whole(const TransferPhases& phases) {
  Phases all;
  for (const Phases* part :
       {&phases.source, &phases.between, &phases.adapters, &phases.destination}) {
    append(all, *part);
  }
  return all;
}

}  // namespace waferloom::sim
