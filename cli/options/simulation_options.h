#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.h"
#include "sim/network_kind.h"
#include "sim/simulate.h"

namespace waferloom::cli {

/// What --network asks for.
sim::NetworkKind parse_network(const Arguments& arguments);
/// What --routing asks for; nothing without it.
std::optional<Routing> parse_routing(const Arguments& arguments);

/// What a placement's simulation is to route by: planned routes, unless --routing names a rule.
/// Throws Failure::usage where it does and --routes gives routes.
Routing placement_routing(const Arguments& arguments);

/// Throws Failure::usage where a rule is asked for beside --routes.
void refuse_rule_beside_routes(Routing routing);

/// Network, routing, samples and the like.
sim::SimulateOptions simulate_options(const Arguments& arguments);

}  // namespace waferloom::cli
