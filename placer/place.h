#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "model/run_control.h"
#include "placer/place_result.h"

namespace waferloom::placer {

struct PlaceOptions {
  /// "auto" (all that helps), "gigaplacer", or the name of another row of strategies().
  std::string strategy = "auto";
  std::uint64_t seed = 1;
  int effort = 5;   ///< 1 to 9; the result is the same at any thread count
  int threads = 0;  ///< 0: one a core
  /// Asked every few dozen annealing moves and between the steps of all else; ends the run with the
  /// best so far. Without `effort_limits` the run ends at the time limit or within three per cent
  /// before: annealing moves are unlimited then, and temperatures follow the clock.
  RunControl control{};
  bool effort_limits = true;
  /// A placement to start from. Kernels may be missing in it, overlap or break constraints. It is
  /// made legal with as little change as possible (given_start), and cool annealing improves it.
  /// The result is no worse than a start that is whole and legal, and mostly looks like it. A start
  /// that cannot be made legal is not used.
  std::optional<PartialPlacement> start;
  /// Whether what annealing finds is compacted.
  bool compacts = true;
  /// Called, from one thread at a time, at each improvement that has passed verification's rules
  /// inside the placer (the caller still verifies).
  std::function<void(const PlaceImprovement&)> on_improvement;
};

/// Names and one-line descriptions of the strategies, for help and ablation.
struct StrategyInfo {
  std::string name;
  std::string description;
};
std::vector<StrategyInfo> strategies();

/// Lays all kernels of an acyclic problem onto its wafer. Same problem, options and seed give the
/// same result at any number of threads, unless a deadline or an interrupt cut the run.
/// Throws std::logic_error for an unknown strategy or a cyclic graph.
PlaceResult place(const Problem& problem, const PlaceOptions& options);

/// The bounds alone (docs/placer.md has the proofs); nothing if some kernel fits nowhere.
std::optional<Bounds> lower_bounds(const Problem& problem);

}  // namespace waferloom::placer
