#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/failure.h"
#include "cli/judgement.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "placer/place.h"

namespace waferloom {

/// One call of the placer.
struct PlacerRun {
  const Problem& problem;
  std::string label;  ///< behind progress
  std::string strategy = "auto";
  Clock::time_point start;  ///< the time limit and the improvements' times count from here
  std::chrono::microseconds reserve{0};  ///< kept back from the time limit for writing
  /// Called at an improvement, at most once a second, with what it verified.
  std::function<void(const VerifiedPlacement&)> on_better;
  /// Called at every improvement, with the seconds since `start`.
  std::function<void(const PlaceImprovement&, double)> on_each{};
  /// Where to start from.
  std::optional<PartialPlacement> first{};
};

/// When the total became better.
struct ImprovementNote {
  double wall_s = 0;
  std::string total;
  std::string strategy;
};

struct PlacerOutcome {
  PlaceResult result;
  /// There exactly if the result has a placement.
  std::optional<VerifiedPlacement> best;
  std::vector<ImprovementNote> improvements;
};

/// Runs the placer and verifies what it gives. Failure::internal if a result is illegal, does not
/// have the score it claims, or is below its own bound.
PlacerOutcome run_placer(const PlacerRun& run, const CommonOptions& options, Progress& progress);

/// Why there is no placement under this strategy, as a Failure: infeasible, time_limit, or
/// interrupted_early for a signal.
Failure no_placement(const Problem& problem, const PlaceResult& result,
                     const std::string& strategy);

/// total / bound - 1; nothing where the bound is 0.
std::optional<double> gap(const Problem& problem, const PlaceResult& result);

/// Throws InputError for a graph with a cycle, naming it: placing needs an order.
void check_acyclic(const Problem& problem, const std::string& source);

/// Throws Failure::usage with the list and a suggestion unless it names a strategy.
void check_strategy(const std::string& strategy);

}  // namespace waferloom
