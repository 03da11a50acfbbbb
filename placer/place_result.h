#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/int128.h"
#include "model/placement.h"

// What a run of the placer finds: the types of which place.h's functions answer, and its rooms.
namespace waferloom::placer {

/// Why a run ended.
enum class StopReason {
  effort,      ///< the work that the effort allows was done
  optimal,     ///< the proven lower bound was met
  time_limit,  ///< the deadline passed
  interrupted  ///< the caller asked to stop
};
inline constexpr std::array<std::string_view, 4> kStopReasonNames{"effort", "optimal", "time_limit",
                                                                  "interrupted"};
constexpr std::span<const std::string_view> words_of(StopReason /*of*/) { return kStopReasonNames; }
const char* stop_reason_name(StopReason reason);

/// A solution that is better than all before it in this run.
struct PlaceImprovement {
  const Placement& placement;
  Score score;
  const std::string& strategy;  ///< the row of the strategy table that found it
};

/// Proven lower bounds: no legal placement is below them.
struct Bounds {
  std::int64_t time = 0;  ///< in units of 1/time_denominator
  Int128 total = 0;       ///< in units of CostModel
  /// What decides the total: "area+edges", "chains" or "blocks" (docs/placer.md, bounds).
  const char* decided_by = "area+edges";
};

/// Why no legal placement exists, proven before the search. A run that merely found none has no
/// Infeasible.
struct Infeasible {
  std::string kernel;   ///< the kernel that cannot be placed; empty if it is all of them together
  std::string message;  ///< names the nearest miss with its numbers
};

struct PlaceResult {
  std::optional<Placement> placement;
  Score score;           ///< claimed; must equal score(problem, *placement)
  std::string strategy;  ///< what found it
  Bounds bounds;
  bool optimal = false;  ///< total of score equals bounds.total exactly
  StopReason stopped_by = StopReason::effort;
  std::optional<Infeasible> infeasible;
  std::vector<std::string> tried;  ///< what searched: starts by name, then "annealing"
};

}  // namespace waferloom::placer
