#include "optimize/islands.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "model/parallel.h"
#include "model/score.h"
#include "optimize/search/improvement_listener.h"

// Problem: one run of the placer settles in the structure that its random numbers lead to. Several
// machines could search one placement.
// Idea: islands. Several runs that differ in seed and strategy, then again from the better of their
// own best and a neighbour's, in a ring: what is good spreads slowly, so islands stay different.
// Source: the island model of evolutionary search (Tanese 1989), with the placer as its mutation.
// Cost: islands × epochs calls of the placer; the tasks of an epoch do not need each other.
namespace waferloom::optimize {
namespace {

/// splitmix64 (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// What an island has found.
struct Best {
  PlacerOutcome outcome;
  Int128 total = 0;
  std::size_t epoch = 0;
};
using Islands = std::vector<std::optional<Best>>;

/// Of two islands the one with less total; of equals, or where neither has any, the first.
std::size_t better_of(const Islands& islands, std::size_t first, std::size_t second) {
  if (!islands[second]) return first;
  if (!islands[first]) return second;
  return islands[second]->total < islands[first]->total ? second : first;
}

std::size_t best_of(const Islands& islands) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < islands.size(); ++i) best = better_of(islands, best, i);
  return best;
}

/// Whose best each island begins an epoch with: its own or that of the one before it in the ring.
std::vector<std::size_t> sources_of(const Islands& islands) {
  std::vector<std::size_t> sources;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    sources.push_back(better_of(islands, i, (i + islands.size() - 1) % islands.size()));
  }
  return sources;
}

std::vector<IslandTask> tasks_of(const PlacerRun& run, std::uint64_t seed, std::size_t epoch,
                                 const Islands& islands) {
  const std::vector<std::size_t> sources = sources_of(islands);
  std::vector<IslandTask> tasks;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    IslandTask task{epoch, i, island_seed(seed, epoch, i), island_strategy(run.strategy, i),
                    run.first};
    const std::optional<Best>& from = islands[sources[i]];
    if (from) task.start = whole_start(from->outcome.best->placement);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

/// What islands have after an epoch: what they began with, or what is better. A lost task leaves
/// its island as it was.
Islands after_epoch(const Islands& before, EpochOutcomes outcomes, std::size_t epoch,
                    const CostModel& costs) {
  const std::vector<std::size_t> sources = sources_of(before);
  Islands after = before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!outcomes[i]) continue;
    after[i] = before[sources[i]];
    if (!outcomes[i]->best) continue;
    const Int128 total = costs.total(outcomes[i]->best->score);
    if (after[i] && after[i]->total <= total) continue;
    after[i] = Best{std::move(*outcomes[i]), total, epoch};
  }
  return after;
}

/// The bounds that are proven by any run, and what else all runs together say.
class Merged {
 public:
  void add(const PlacerOutcome& found) {
    const placer::Bounds& bounds = found.result.bounds;
    if (!last_ || bounds.total > bounds_.total) bounds_ = bounds;
    if (!last_ || is_cut(found.result.stopped_by)) last_ = found.result;
  }

  const placer::Bounds& bounds() const { return bounds_; }

  /// Completes the outcome of the best island, or of none.
  PlacerOutcome complete(PlacerOutcome outcome, const CostModel& costs) const {
    if (!outcome.best && last_) outcome.result = *last_;
    outcome.result.bounds = bounds_;
    outcome.result.optimal =
        outcome.best.has_value() && costs.total(outcome.best->score) == bounds_.total;
    if (last_) outcome.result.stopped_by = last_->stopped_by;
    if (outcome.result.optimal) outcome.result.stopped_by = placer::StopReason::optimal;
    return outcome;
  }

 private:
  static bool is_cut(placer::StopReason reason) {
    return reason == placer::StopReason::time_limit || reason == placer::StopReason::interrupted;
  }

  placer::Bounds bounds_{};
  std::optional<placer::PlaceResult> last_;
};

/// What islands on this machine tell together.
class SharedListener {
 public:
  SharedListener(const PlacerRun& run, const RunControl& control, std::atomic<bool>& stop)
      : costs_(run.problem), listener_(run, control, stop) {}

  void hear(const placer::PlaceImprovement& found) {
    const std::lock_guard lock(mutex_);
    const Int128 total = costs_.total(found.score);
    if (best_ && total >= *best_) return;
    best_ = total;
    listener_.hear(found);
  }
  ImprovementListener& listener() { return listener_; }

 private:
  std::mutex mutex_;
  CostModel costs_;
  std::optional<Int128> best_;
  ImprovementListener listener_;
};

}  // namespace

std::uint64_t island_seed(std::uint64_t seed, std::size_t epoch, std::size_t island) {
  return mixed(mixed(mixed(seed) + epoch) + island);
}

std::string island_strategy(const std::string& strategy, std::size_t island) {
  // The starts that are the best of some case; which one misleads is not known beforehand.
  constexpr std::array<const char*, 3> kLeftOut{"gigaplacer-plus", "signature-dp", "stack-rows"};
  const std::size_t turn = island % (kLeftOut.size() + 1);
  return strategy != "auto" || turn == 0 ? strategy : strategy + "-no-" + kLeftOut[turn - 1];
}

PlacerOutcome run_islands(const PlacerRun& run, const RunControl& control,
                          const IslandCounts& counts, const EpochEngine& engine) {
  const CostModel costs(run.problem);
  Islands islands(counts.islands);
  Merged merged;
  for (std::size_t epoch = 0; epoch < counts.epochs; ++epoch) {
    if (epoch > 0 && control.is_cut()) break;
    EpochOutcomes outcomes = engine(tasks_of(run, control.seed, epoch, islands));
    for (const auto& outcome : outcomes) {
      if (outcome) merged.add(*outcome);
    }
    islands = after_epoch(islands, std::move(outcomes), epoch, costs);
    const std::optional<Best>& best = islands[best_of(islands)];
    if (best && best->total == merged.bounds().total) break;
  }
  const std::size_t island = best_of(islands);
  const std::optional<Best>& best = islands[island];
  PlacerOutcome outcome = merged.complete(best ? best->outcome : PlacerOutcome{}, costs);
  if (best) outcome.islands = IslandNote{counts.islands, counts.epochs, island, best->epoch};
  return outcome;
}

PlacerOutcome run_islands_here(const PlacerRun& run, const RunControl& control,
                               const IslandCounts& counts) {
  std::atomic<bool> never{false};
  RunControl whole = control;
  whole.effort_given = true;
  if (whole.stop == nullptr) whole.stop = &never;
  SharedListener shared(run, whole, *whole.stop);
  RunControl part = whole;
  part.on_progress = nullptr;
  part.threads = std::max(1, control.threads / static_cast<int>(counts.islands));
  const EpochEngine engine = [&](const std::vector<IslandTask>& tasks) {
    whole.tell("epoch " + std::to_string(tasks.front().epoch + 1) + " of " +
                   std::to_string(counts.epochs) + ", " + std::to_string(tasks.size()) + " islands",
               run.label);
    EpochOutcomes outcomes(tasks.size());
    run_parallel(tasks.size(), whole, [&](std::size_t i) {
      RunControl own = part;
      own.seed = tasks[i].seed;
      PlacerRun single{run.problem, run.label, tasks[i].strategy, run.reserve, nullptr};
      single.first = tasks[i].start;
      single.on_each = [&](const placer::PlaceImprovement& better, double) { shared.hear(better); };
      outcomes[i] = run_placer(single, own);
    });
    return outcomes;
  };
  PlacerOutcome found = run_islands(run, whole, counts, engine);
  shared.listener().rethrow();
  found.improvements = std::move(shared.listener().notes());
  return found;
}

}  // namespace waferloom::optimize
