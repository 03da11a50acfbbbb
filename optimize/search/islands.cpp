#include "optimize/islands.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "model/placement.h"
#include "model/run_control.h"
#include "optimize/search/improvement_listener.h"
#include "optimize/search/island_ring.h"

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

std::vector<IslandEnd<PlacerOutcome>> ends_of(EpochOutcomes outcomes) {
  std::vector<IslandEnd<PlacerOutcome>> ends;
  for (auto& outcome : outcomes) {
    IslandEnd<PlacerOutcome>& end = ends.emplace_back();
    end.is_lost = !outcome;
    if (outcome && outcome->best) end.found = std::move(*outcome);
  }
  return ends;
}

/// The bounds that are proven by any run, and what else all runs together say.
class Merged {
 public:
  void add(const PlacerOutcome& found) {
    const placer::Bounds& bounds = found.result.bounds;
    if (!last_ || bounds.total > bounds_.total) bounds_ = bounds;
    if (!last_ || is_cut(found.result.stopped_by)) last_ = found.result;
  }

  void interrupt() { is_interrupted_ = true; }

  const placer::Bounds& bounds() const { return bounds_; }

  /// Completes the outcome of the best island, or of none.
  PlacerOutcome complete(PlacerOutcome outcome, const CostModel& costs) const {
    if (!outcome.best && last_) outcome.result = *last_;
    outcome.result.bounds = bounds_;
    outcome.result.optimal =
        outcome.best.has_value() && costs.total(outcome.best->score) == bounds_.total;
    if (last_) outcome.result.stopped_by = last_->stopped_by;
    if (is_interrupted_) outcome.result.stopped_by = placer::StopReason::interrupted;
    if (outcome.result.optimal) outcome.result.stopped_by = placer::StopReason::optimal;
    return outcome;
  }

 private:
  static bool is_cut(placer::StopReason reason) {
    return reason == placer::StopReason::time_limit || reason == placer::StopReason::interrupted;
  }

  placer::Bounds bounds_{};
  std::optional<placer::PlaceResult> last_;
  bool is_interrupted_ = false;
};

/// What islands tell together.
class SharedListener {
 public:
  SharedListener(const PlacerRun& run, const SearchControl& control, std::atomic<bool>& stop)
      : costs_(run.problem), listener_(run, control, stop) {}

  void hear(const placer::PlaceImprovement& found) {
    const std::lock_guard lock(mutex_);
    const Int128 total = costs_.total(found.score);
    if (best_ && total >= *best_) return;
    best_ = total;
    listener_.hear(found);
  }
  /// What was told, as a part of the outcome. Throws what a callback threw.
  void add_notes(PlacerOutcome& outcome) {
    listener_.rethrow();
    outcome.improvements = std::move(listener_.notes());
  }

 private:
  std::mutex mutex_;
  CostModel costs_;
  std::optional<Int128> best_;
  ImprovementListener listener_;
};

PlacerOutcome run_epochs(const PlacerRun& run, const SearchControl& control,
                         const IslandCounts& counts, const EpochEngine& engine) {
  const CostModel costs(run.problem);
  Merged merged;
  const auto total = [&](const PlacerOutcome& found) { return costs.total(found.best->score); };
  IslandRules<PlacerOutcome> rules{run.strategy, run.first, nullptr, nullptr, nullptr};
  rules.is_better = [&](const PlacerOutcome& a, const PlacerOutcome& b) {
    return total(a) < total(b);
  };
  rules.start = [](const PlacerOutcome& found) { return whole_start(found.best->placement); };
  rules.is_done = [&](const PlacerOutcome& best) { return total(best) == merged.bounds().total; };
  const auto [ring, lost] =
      run_ring<PlacerOutcome>(rules, counts, control, [&](const std::vector<IslandTask>& tasks) {
        EpochOutcomes outcomes = engine(tasks);
        for (const auto& outcome : outcomes) {
          if (outcome) merged.add(*outcome);
        }
        if (control.interrupted()) merged.interrupt();
        return ends_of(std::move(outcomes));
      });
  const auto& best = ring.at(ring.best());
  PlacerOutcome outcome = merged.complete(best ? best->found : PlacerOutcome{}, costs);
  outcome.islands = note_of(ring, counts, lost);
  return outcome;
}

/// A task as a call of the placer.
PlacerRun run_of(const PlacerRun& run, const IslandTask& task) {
  PlacerRun single{run.problem, run.label, task.strategy, run.reserve, nullptr};
  single.first = task.start;
  return single;
}

}  // namespace

std::uint64_t island_seed(std::uint64_t seed, const IslandTurn& turn) {
  const auto [epoch, island] = turn;
  if (epoch == 0 && island == 0) return seed;
  return mixed(mixed(mixed(seed) + epoch) + island);
}

std::string island_strategy(const std::string& strategy, std::size_t island) {
  // The starts that are the best of some case; which one misleads is not known beforehand.
  constexpr std::array<const char*, 3> kLeftOut{"gigaplacer-plus", "signature-dp", "stack-rows"};
  const std::size_t turn = island % (kLeftOut.size() + 1);
  return strategy != "auto" || turn == 0 ? strategy : strategy + "-no-" + kLeftOut[turn - 1];
}

PlacerOutcome run_islands(const PlacerRun& run, const SearchControl& control,
                          const IslandCounts& counts, const EpochEngine& engine) {
  std::atomic<bool> never{false};
  SharedListener listener(run, control, control.stop != nullptr ? *control.stop : never);
  const EpochEngine heard = [&](const std::vector<IslandTask>& tasks) {
    EpochOutcomes outcomes = engine(tasks);
    for (const auto& outcome : outcomes) {
      if (!outcome || !outcome->best) continue;
      listener.hear({outcome->best->placement, outcome->best->score, outcome->result.strategy});
    }
    return outcomes;
  };
  PlacerOutcome found = run_epochs(run, control, counts, heard);
  listener.add_notes(found);
  return found;
}

PlacerOutcome run_islands_here(const PlacerRun& run, const SearchControl& control,
                               const IslandCounts& counts) {
  std::atomic<bool> never{false};
  SearchControl whole = control;
  whole.effort_given = true;
  if (whole.stop == nullptr) whole.stop = &never;
  SharedListener shared(run, whole, *whole.stop);
  const SearchControl part = part_of(whole, counts);
  const EpochEngine engine = [&](const std::vector<IslandTask>& tasks) {
    tell_epoch(whole, tasks, counts, run.label);
    EpochOutcomes outcomes(tasks.size());
    run_parallel(tasks.size(), whole, [&](std::size_t i) {
      SearchControl own = part;
      own.seed = tasks[i].seed;
      PlacerRun single = run_of(run, tasks[i]);
      single.on_each = [&](const placer::PlaceImprovement& better, double) { shared.hear(better); };
      outcomes[i] = run_placer(single, own);
    });
    return outcomes;
  };
  PlacerOutcome found = run_epochs(run, whole, counts, engine);
  shared.add_notes(found);
  return found;
}

std::optional<PlacerOutcome> run_island_task(const PlacerRun& run, const SearchControl& control,
                                             const IslandCounts& counts, const IslandTurn& turn,
                                             const EpochEngine& before) {
  std::optional<PlacerOutcome> found;
  const EpochEngine engine = [&](const std::vector<IslandTask>& tasks) {
    if (tasks.front().epoch < turn.epoch) return before(tasks);
    const IslandTask& task = tasks[turn.island];
    SearchControl own = control;
    own.seed = task.seed;
    own.effort_given = true;
    found = run_placer(run_of(run, task), own);
    return EpochOutcomes(tasks.size());
  };
  run_epochs(run, control, {counts.islands, turn.epoch + 1}, engine);
  return found;
}

}  // namespace waferloom::optimize
