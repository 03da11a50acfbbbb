#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "model/score.h"
#include "model/solution.h"
#include "model/verify.h"

namespace waferloom {

/// What the rules say of a solution.
struct Judgement {
  std::vector<Violation> violations;
  /// There if every kernel of the problem has exactly one definition with the right type, formals
  /// and execution parameters within limits, and one place, whatever else is wrong.
  std::optional<Placement> placement;
  /// There if the placement is (and its distance within range).
  std::optional<Score> score;
  bool legal() const { return violations.empty(); }
};

Judgement judge(const Problem& problem, const Solution& solution);

/// A placement whose written form has been read back, verified and scored.
struct VerifiedPlacement {
  Placement placement;
  std::string text;  ///< the solution file
  Score score;
};

/// Holds a placement of our own against the rules and its claimed score; a difference is our bug:
/// std::logic_error with what is wrong.
VerifiedPlacement verified(const Problem& problem, const Placement& placement,
                           const Score& claimed);

}  // namespace waferloom
