#include "sim/group_transfer.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace waferloom {
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
    const TilePlace& one = a.front();
    const TilePlace& other = b.front();
    return along_x ? std::pair(one.y, one.x) < std::pair(other.y, other.x)
                   : std::pair(one.x, one.y) < std::pair(other.x, other.y);
  });
}

void check(const GroupTransfer& transfer) {
  const std::size_t least = std::min(transfer.source.size(), transfer.destination.size());
  if (transfer.adapters < 1 || transfer.adapters > static_cast<std::int64_t>(least)) {
    throw std::invalid_argument("expected 1 to " + std::to_string(least) + " adapters, found " +
                                std::to_string(transfer.adapters));
  }
  for (const TilePlace& tile : transfer.source) {
    if (std::find(transfer.destination.begin(), transfer.destination.end(), tile) ==
        transfer.destination.end()) {
      continue;
    }
    throw std::invalid_argument("source and destination share a tile");
  }
}

/// Every run's adapter has what the run's tiles hold, or gives it to them.
Phases within(CollectiveKind kind, const std::vector<TileGroup>& runs, CollectiveAlgorithm spread,
              const Grouping& groups) {
  return collective_phases(kind, spread, runs, groups);
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
  return at_once(all);
}

}  // namespace

TransferPhases transfer_phases(const GroupTransfer& transfer, const Grouping& groups) {
  check(transfer);
  const TilePlace from = middle(transfer.source);
  const TilePlace to = middle(transfer.destination);
  std::vector<TileGroup> source = runs_of(transfer.source, transfer.adapters, to);
  std::vector<TileGroup> destination = runs_of(transfer.destination, transfer.adapters, from);
  const bool along_x = std::abs(from.x - to.x) >= std::abs(from.y - to.y);
  sort_across(source, along_x);
  sort_across(destination, along_x);
  const bool sums_first = transfer.strategy == TransferStrategy::sum_first;
  TransferPhases phases;
  Phase between;
  TileGroup adapters;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Share share = sums_first ? Share{1, transfer.adapters} : Share{};
    between.flows.push_back(Flow{source[i].front(), destination[i].front(), share});
    adapters.push_back(destination[i].front());
  }
  phases.between.push_back(std::move(between));
  if (sums_first) {
    phases.source =
        collective_phases(CollectiveKind::all_reduce, transfer.all_reduce, transfer.source, groups);
    phases.destination = parts_to_all(transfer.destination, destination, transfer.spread, groups);
    return phases;
  }
  phases.source = within(CollectiveKind::reduce, source, transfer.spread, groups);
  phases.adapters =
      collective_phases(CollectiveKind::all_reduce, transfer.all_reduce, adapters, groups);
  phases.destination = within(CollectiveKind::broadcast, destination, transfer.spread, groups);
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

}  // namespace waferloom
