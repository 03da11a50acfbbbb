#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "optimize/plan.h"
#include "optimize/run_control.h"
#include "optimize/trial.h"
#include "planner/plan_models.h"
#include "planner/plan_space.h"

namespace waferloom::optimize {

/// Whether a mesh has so many tiles that an estimate of a plan on it takes long.
bool is_large(const Hardware& hardware);

/// Plans of a large mesh by what models in closed form say of them.
struct PromisingPlans {
  std::vector<Plan> plans;  ///< each once, those that promise most first
  std::size_t degrees = 0;  ///< tensor, data and pipeline that there are
  std::size_t with_micro_batches = 0;
  std::string why_none{};  ///< an example of degrees that do not fit; empty: all that were tried do
};

/// Ranks plans of a large mesh by a model: DFModel, AMPeD, or by turns DFModel and the closed forms
/// of operators that have degrees of their own, which DFModel does not know. Throws RunCut.
PromisingPlans promising_plans(const PlanGround& ground, const planner::PlanSpace& space,
                               planner::PlanTimer& timer, RankingModel model,
                               const SearchControl& control);

}  // namespace waferloom::optimize
