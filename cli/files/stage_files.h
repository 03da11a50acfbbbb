#pragma once

#include <string>
#include <vector>

#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/placement.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/wafer.h"
#include "sim/simulate.h"

namespace waferloom::cli {

// What is read where the stages of a network are placed, or were. All throw Failure or InputError.

/// Stages where a file of a placement has them, as far as they have one of their shapes there.
PartialPlacement stages_in_shapes(const Problem& problem, const StagePlacement& placed);

/// What a plan's simulation routes by: as --routing says, else as the plan does; on switched
/// hardware planned is xy. Throws Failure::usage for --routing planned there, and where --routing
/// names a rule and --routes gives routes.
Routing plan_routing(const sim::RunRequest& request, const Plan& plan, const Hardware& hardware,
                     bool has_routes = false);

/// The file of routes that a plan names, seen from `path`, the plan's; empty: there is none.
std::string plan_routes_file(const std::string& path, const Plan& plan);

/// Warns if a file says that its stages were placed on hardware of another name.
void warn_of_hardware(const StagePlacement& placed, const std::string& source,
                      const Hardware& hardware, Warnings& warnings);

/// The stages under the constraints of a file, unless that is empty, by their names, beside the
/// tiles that the plan binds them to.
Problem constrained_stages(const Problem& problem, const std::string& constraints,
                           const CommonOptions& common);

/// Where a placement file has the stages of a plan that cuts a network, and no others. Warns if the
/// file says that they were placed on hardware of another name.
std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings);

}  // namespace waferloom::cli
