#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/hardware.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "optimize/placer_run.h"
#include "router/route.h"
#include "sim/plan_pipeline.h"

// Routes that are held against their rules, and what placing by their prices takes.

namespace waferloom::optimize {

/// Where the routes of a traffic come from: a file, say.
using RoutesSource = std::function<Routes(const Traffic&)>;

/// The router's routes, held against verify_routes. Where there are none, the result says why.
/// Throws RequestError as router::route does, std::logic_error for routes that verify_routes is
/// against.
router::RouteResult verified_route(const Traffic& traffic, const Hardware& hardware,
                                   const router::RouteOptions& options = {});

/// The same for who has nothing to show without routes. Throws InfeasibleError where there are
/// none, RunCut where `control` cut the router before it had any.
router::RouteResult demanded_route(const Traffic& traffic, const Hardware& hardware,
                                   const RunControl& control);

// The prices of routes say which tensors crowd the links; placed by them, these come nearer.

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
