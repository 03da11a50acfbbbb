#pragma once

#include "cli/console/common_options.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What a placement's simulation is to route by: planned routes, unless a rule is asked for. Throws
/// Failure::usage where it is and routes are given.
Routing placement_routing(const sim::RunRequest& request, bool has_routes);

/// Throws Failure::usage where a rule is asked for beside --routes.
void refuse_rule_beside_routes(Routing routing);

/// The options of a run that ends as the command is told to.
sim::SimulateOptions simulate_options(const sim::RunRequest& request, const CommonOptions& common);

}  // namespace waferloom::cli
