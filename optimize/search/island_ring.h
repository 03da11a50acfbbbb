#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

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

}  // namespace waferloom::optimize
