#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "sim/network_kind.h"
#include "sim/route_planner.h"

namespace waferloom {

/// What --network asks for; fair without it. Throws Failure::usage.
NetworkKind parse_network(const Arguments& arguments);
/// What --routing asks for; nothing without it. Throws Failure::usage.
std::optional<Routing> parse_routing(const Arguments& arguments);

/// Whether a signal came or the time limit is over.
bool is_cut(const CommonOptions& common);

// The two forms of simulate; each answers the exit code.
int simulate_messages(const Arguments& arguments);
int simulate_placement(const Arguments& arguments);

}  // namespace waferloom
