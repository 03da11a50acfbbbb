#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "planner/system_plan.h"

namespace waferloom::planner {

// What plans over the dimensions of a system have in common, whatever network they are for.

inline constexpr const char* kNotTimed = "not timed: the run was over";

/// Chips along the dimensions that serve one kind of parallelism.
std::int64_t served_chips(const System& system, const SystemPlanChoice& choice,
                          Parallelism parallelism);

/// Throws std::logic_error unless a choice has a strategy for each dimension.
void check_choice(const System& system, const SystemPlanChoice& choice);

/// Throws RequestError for an objective that the system says nothing about, and for dimensions that
/// no collective can use.
void check_ranked(const System& system, Objective objective);

/// In the order of ranked_system_plans, before they are ranked.
std::vector<SystemPlanChoice> all_choices(const System& system, const SystemPlanOptions& options,
                                          bool may_recompute);

/// Why the bytes of a plan do not fit a level of memory; empty: they do.
std::string lack_of_memory(const System& system, std::size_t level, const SystemPlan& plan);

/// By what plans for a batch of so many samples are ranked.
struct RankedBy {
  Objective objective = Objective::time;
  double batch = 1;
};
/// The best first, impossible ones last; equal ones keep their order.
void rank_plans(std::vector<SystemPlan>& plans, const RankedBy& by, const System& system);

}  // namespace waferloom::planner
