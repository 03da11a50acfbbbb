#pragma once

#include <string>
#include <vector>

#include "model/problem.h"
#include "model/routes.h"
#include "optimize/placer_run.h"
#include "sim/plan_pipeline.h"

namespace waferloom::optimize {

/// By connection of a case, the price of its tensor in routes,
/// and of its gradient. Tensors without a price, or that the routes do not have, cost nothing.
std::vector<double> edge_prices(const Problem& problem, const Routes& routes);

/// The same of the stages of a plan, several of whose tensors may move along one connection.
std::vector<double> stage_prices(const sim::PlanStages& stages, const Routes& routes);

/// The names that tensors of a case may have in routes: those of its connections, of its inputs
/// and outputs, and of their gradients.
std::vector<std::string> priced_names(const Problem& problem);

/// The same problem with edges that weigh as their prices, nine tenths in proportion and one tenth
/// alike, 1 in the mean: legal placements stay legal. All alike where nothing has a price.
Problem priced(const Problem& problem, const std::vector<double>& prices);

/// What was found of priced(problem), as the case's own weights see it: its score, and bounds.
PlacerOutcome under_own_weights(const Problem& problem, PlacerOutcome outcome);

}  // namespace waferloom::optimize
