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

/// Whether a signal came or the time limit is over.
bool is_cut(const CommonOptions& common);

/// What --hardware says, or its default.
std::string hardware_name(const Arguments& arguments);
/// The same for a network, whose default is another: cases' has no rates of FLOP.
std::string network_hardware_name(const Arguments& arguments);
/// The hardware of --hardware NAME|FILE: a preset if there is one of that name. Throws Failure.
Hardware read_hardware_option(const Arguments& arguments);
Hardware read_network_hardware_option(const Arguments& arguments);
/// The file that it is read from, if it is one.
std::vector<std::string> hardware_files(const Arguments& arguments);

/// Network, routing, samples and the like.
sim::SimulateOptions simulate_options(const Arguments& arguments);

// The forms of simulate; each answers the exit code.
int simulate_messages(const Arguments& arguments);
int simulate_placement(const Arguments& arguments);
int simulate_workload(const Arguments& arguments);

}  // namespace waferloom::cli
