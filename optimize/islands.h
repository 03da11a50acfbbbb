#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "optimize/placer_run.h"
#include "optimize/run_control.h"

namespace waferloom::optimize {

/// How many runs search one placement, and how often they exchange what they found.
struct IslandCounts {
  std::size_t islands = 8;
  std::size_t epochs = 3;
};

/// Which task of such a run, both counted from 0.
struct IslandTurn {
  std::size_t epoch = 0;
  std::size_t island = 0;
};

/// What an island does in an epoch: one search.
struct IslandTask : IslandTurn {
  std::uint64_t seed = 0;
  std::string strategy{};
  std::optional<PartialPlacement> start{};
};

/// The seed of a task: different for every epoch and island, and with the run's seed. The first
/// island begins with the run's own, so that islands are never worse than what a single run gives.
std::uint64_t island_seed(std::uint64_t seed, const IslandTurn& turn);

/// The strategy of an island where the run has `strategy`. Islands of "auto" are dealt different
/// portfolios, for annealing rarely leaves what the best start leads to: one in four all of auto,
/// the others auto without one of its strong starts each.
std::string island_strategy(const std::string& strategy, std::size_t island);

/// What became of the tasks of an epoch, in their order; nothing where a task was lost.
using EpochOutcomes = std::vector<std::optional<PlacerOutcome>>;
/// Runs the tasks of an epoch, wherever that is. What a task gives must follow from the task alone.
using EpochEngine = std::function<EpochOutcomes(const std::vector<IslandTask>& tasks)>;

/// Runs epochs one behind the other. In the first, islands begin with `run.first` or without; in
/// later ones with the better of their own best and that of the island before them in the ring, of
/// equals their own. What an island has is never given up for worse, and a lost task changes
/// nothing of it. The best of all is that of least total, of equals that of the lowest island: it
/// does not depend on how an engine runs the tasks. Ends early where the bound is met or the
/// control is cut. `run.problem`, `strategy` and `first` and `control.seed` matter. The run's
/// callbacks hear after each epoch what is better than all before. Bounds are the best of all runs.
/// An outcome without placement where no island found one.
PlacerOutcome run_islands(const PlacerRun& run, const SearchControl& control,
                          const IslandCounts& counts, const EpochEngine& engine);

/// The same on this machine: the tasks of an epoch side by side on the control's threads. Effort
/// rules, and a time limit cuts. The run's callbacks hear what is better than all before on any
/// island, one call at a time. Same bytes at any number of threads unless cut.
PlacerOutcome run_islands_here(const PlacerRun& run, const SearchControl& control,
                               const IslandCounts& counts);

/// Does one task of run_islands, where others do the rest: `before` gives what became of the epochs
/// before, and is asked for them in their order. Nothing where the run ends before that epoch.
std::optional<PlacerOutcome> run_island_task(const PlacerRun& run, const SearchControl& control,
                                             const IslandCounts& counts, const IslandTurn& turn,
                                             const EpochEngine& before);

}  // namespace waferloom::optimize
