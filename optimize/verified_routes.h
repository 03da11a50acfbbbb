#pragma once

#include <functional>

#include "model/hardware.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "router/route.h"

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

}  // namespace waferloom::optimize
