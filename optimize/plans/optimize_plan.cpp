#include "optimize/optimize.h"
#include "optimize/plans/passed_over.h"
#include "optimize/plans/plan_estimates.h"
#include "optimize/plans/plan_search.h"
#include "optimize/plans/search_budget.h"

namespace waferloom::optimize {

OptimizedPlan optimize_plan(const PlanGround& ground, const planner::PlanSpace& space,
                            const PlanSearchOptions& options, const SearchControl& control) {
  PassedOverCounts passed_over;
  PlanEstimates estimates(ground, space, passed_over);
  PlanSearch search(ground, space, estimates,
                    {optimize_budget(options.top.value_or(kSimulatedPlans)), options.strategy,
                     options.baseline, options.baseline_source},
                    passed_over, control);
  search.run();
  ground.exchanges.ignore_cuts();
  OptimizeResult result;
  result.subject = ground.workload.name;
  result.source = options.source;
  for (const PlanTrial& candidate : search.trials()) result.trials.push_back(candidate.trial);
  result.passed_over = passed_over.all();
  result.best = *search.best();
  if (options.baseline && result.trials.front().measured) result.baseline = 0;
  result.ended_by = search.ended_by();
  explain(result.trials, result.best);
  PlanTrial winner = search.trials()[*search.best()];
  winner.plan.made_for = made_for(ground.workload, ground.hardware);
  return {std::move(result), std::move(winner)};
}

}  // namespace waferloom::optimize
