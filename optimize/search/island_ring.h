#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "optimize/islands.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// What became of the task of an island.
template <class Found>
struct IslandEnd {
  bool is_lost = false;
  std::optional<Found> found{};  ///< nothing where it found nothing
};

/// The rules of islands, whatever they search: who begins an epoch with what, and whose counts in
/// the end. Islands are in a ring; each goes on from the better of its own best and that of the one
/// before it, of equals from its own. What an island has is never given up for worse.
template <class Found>
class IslandRing {
 public:
  /// What an island has: found by whom does not matter, only when.
  struct Best {
    Found found;
    std::size_t epoch = 0;
  };
  using Better = std::function<bool(const Found&, const Found&)>;

  IslandRing(std::size_t count, Better is_better)
      : islands_(count), is_better_(std::move(is_better)) {}

  std::size_t size() const { return islands_.size(); }

  /// What an island begins the next epoch with; nothing at first.
  const std::optional<Best>& start_of(std::size_t island) const {
    return islands_[source_of(island)];
  }

  /// Takes what became of all tasks of an epoch. A lost one leaves its island as it was.
  void take(std::vector<IslandEnd<Found>> ends, std::size_t epoch) {
    std::vector<std::optional<Best>> after = islands_;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      if (ends[i].is_lost) continue;
      after[i] = start_of(i);
      std::optional<Found>& found = ends[i].found;
      if (found && (!after[i] || is_better_(*found, after[i]->found))) {
        after[i] = Best{std::move(*found), epoch};
      }
    }
    islands_ = std::move(after);
  }

  /// The island that has the best of all, of equals the first; one without anything only if none
  /// has.
  std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < islands_.size(); ++i) best = better_of(best, i);
    return best;
  }
  const std::optional<Best>& at(std::size_t island) const { return islands_[island]; }

 private:
  std::size_t better_of(std::size_t first, std::size_t second) const {
    if (!islands_[second]) return first;
    if (!islands_[first]) return second;
    return is_better_(islands_[second]->found, islands_[first]->found) ? second : first;
  }
  std::size_t source_of(std::size_t island) const {
    return better_of(island, (island + islands_.size() - 1) % islands_.size());
  }

  std::vector<std::optional<Best>> islands_;
  Better is_better_;
};

/// What islands search.
template <class Found>
struct IslandRules {
  std::string strategy;
  std::optional<PartialPlacement> first;  ///< what all begin with
  typename IslandRing<Found>::Better is_better;
  std::function<PartialPlacement(const Found&)> start;  ///< what it is to begin with this
  std::function<bool(const Found& best)> is_done;       ///< whether nothing can be better
};

/// The tasks of an epoch.
template <class Found>
std::vector<IslandTask> tasks_of(const IslandRules<Found>& rules, std::uint64_t seed,
                                 std::size_t epoch, const IslandRing<Found>& ring) {
  std::vector<IslandTask> tasks;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    IslandTask task{
        {epoch, i}, island_seed(seed, {epoch, i}), island_strategy(rules.strategy, i), rules.first};
    if (const auto& from = ring.start_of(i)) task.start = rules.start(from->found);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Runs the epochs of islands one behind the other, on an engine from tasks to their ends. Ends
/// early where nothing can be better, or the control is cut. Answers what the islands have, and
/// how many tasks were lost.
template <class Found>
std::pair<IslandRing<Found>, std::size_t> run_ring(
    const IslandRules<Found>& rules, const IslandCounts& counts, const SearchControl& control,
    const std::function<std::vector<IslandEnd<Found>>(const std::vector<IslandTask>&)>& engine) {
  IslandRing<Found> ring(counts.islands, rules.is_better);
  std::size_t lost = 0;
  for (std::size_t epoch = 0; epoch < counts.epochs; ++epoch) {
    if (epoch > 0 && control.is_cut()) break;
    std::vector<IslandEnd<Found>> ends = engine(tasks_of(rules, control.seed, epoch, ring));
    // After a signal tasks are not lost but not waited for.
    if (!control.interrupted()) {
      lost += static_cast<std::size_t>(
          std::count_if(ends.begin(), ends.end(), [](const auto& end) { return end.is_lost; }));
    }
    ring.take(std::move(ends), epoch);
    const auto& best = ring.at(ring.best());
    if (best && rules.is_done(best->found)) break;
  }
  return {std::move(ring), lost};
}

/// Says that the tasks of an epoch begin on this machine.
inline void tell_epoch(const SearchControl& control, const std::vector<IslandTask>& tasks,
                       const IslandCounts& counts, const std::string& label) {
  control.tell({fmt::format("epoch {} of {}, {} islands", tasks.front().epoch + 1, counts.epochs,
                            tasks.size()),
                label});
}

/// The control of each of the tasks that run side by side on this machine: its share of the
/// threads, and nobody to tell.
inline SearchControl part_of(const SearchControl& control, const IslandCounts& counts) {
  SearchControl part = control;
  part.on_progress = nullptr;
  part.threads = std::max(1, control.threads / static_cast<int>(counts.islands));
  return part;
}

/// Where the best of a ring was found; nothing if it has none.
template <class Found>
std::optional<IslandNote> note_of(const IslandRing<Found>& ring, const IslandCounts& counts,
                                  std::size_t lost) {
  const std::size_t island = ring.best();
  if (!ring.at(island)) return std::nullopt;
  return IslandNote{counts.islands, counts.epochs, island, ring.at(island)->epoch, lost};
}

}  // namespace waferloom::optimize
