#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "optimize/run_control.h"
#include "placer/place.h"

namespace waferloom::optimize {

/// One call of the placer.
struct PlacerRun {
  const Problem& problem;
  std::string label;  ///< behind progress
  std::string strategy = "auto";
  std::chrono::microseconds reserve{0};  ///< kept back from the time limit for writing
  /// Called at an improvement, at most once a second, with what it verified.
  std::function<void(const VerifiedPlacement&)> on_better;
  /// Called at every improvement, with the seconds since the control's start.
  std::function<void(const placer::PlaceImprovement&, double)> on_each{};
  /// Where to start from.
  std::optional<PartialPlacement> first{};
};

/// When the total became better.
struct ImprovementNote {
  double wall_s = 0;
  std::string total;
  std::string strategy;
};

/// Which of several runs that exchange placements (optimize/islands.h) found one. Counted from 0.
struct IslandNote {
  std::size_t islands = 0;
  std::size_t epochs = 0;  ///< asked for
  std::size_t island = 0;
  std::size_t epoch = 0;
  std::size_t lost = 0;  ///< tasks of which nothing came back
};

struct PlacerOutcome {
  placer::PlaceResult result;
  /// There exactly if the result has a placement.
  std::optional<VerifiedPlacement> best;
  std::vector<ImprovementNote> improvements;
  std::optional<IslandNote> islands{};  ///< there if islands found the best
};

/// Runs the placer and verifies its result. Times of improvements count from the control's start.
/// Throws std::logic_error if a result is illegal, if its score is not the one it claims, if the
/// score is below the result's own bound, or if it lacks the room for the problem's buffers.
PlacerOutcome run_placer(const PlacerRun& run, const SearchControl& control);

/// All of a placement, for a run to start from.
PartialPlacement whole_start(const Placement& placement);

/// Why there is no placement under this strategy.
SearchEnded no_placement(const Problem& problem, const placer::PlaceResult& result,
                         const std::string& strategy);

/// total / bound - 1; nothing where the bound is 0.
std::optional<double> gap(const Problem& problem, const placer::PlaceResult& result);

}  // namespace waferloom::optimize
