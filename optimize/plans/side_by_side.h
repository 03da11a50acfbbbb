#pragma once

#include <optional>

#include "optimize/run_control.h"
#include "optimize/trial.h"

namespace waferloom::optimize {

/// The plan of a trial with branches of its stages side by side (Plan::side_by_side), where these
/// make a stage shorter on the trial's tiles by more than 0.1 %; nothing where none do. Branches
/// are what lies between two operators of a stage and does not depend on one another. Light ones
/// share tiles; each group has whole columns, or rows, of its stage by its work. O(prices of the
/// plan), some for each fork. Throws RunCut.
std::optional<Plan> with_branches(const PlanGround& ground, const PlanTrial& trial,
                                  const SearchControl& control);

}  // namespace waferloom::optimize
