#pragma once

#include <string>
#include <vector>

#include "cli/console/failure.h"
#include "cli/console/warnings.h"
#include "cli/options/options.h"
#include "model/errors.h"
#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/wafer.h"
#include "sim/simulate.h"

namespace waferloom::cli {

// What is read where the stages of a network are placed, or were. All throw Failure or InputError.

/// Does something, and blames a file for what does not fit.
template <typename Work>
auto blaming(const std::string& source, const Work& work) {
  try {
    return work();
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(source, error));
  }
}

/// The file of --plan, unread.
struct PlanText {
  std::string source;  ///< for messages
  std::string text;
};
PlanText read_plan_text(const std::string& path, const CommonOptions& common);

/// The file of --plan, and what it says.
struct PlanFile {
  std::string source;  ///< for messages
  std::string text;
  Plan plan;
};
PlanFile parse_plan(const PlanText& text);
PlanFile read_plan_file(const std::string& path, const CommonOptions& common);

/// What a plan's simulation routes by: as --routing says, else as the plan does; on switched
/// hardware planned is xy. Throws Failure::usage for --routing planned there, and where --routing
/// names a rule and --routes gives routes.
Routing plan_routing(const sim::RunRequest& request, const Plan& plan, const Hardware& hardware,
                     bool has_routes = false);

/// The file of routes that a plan names, seen from `path`, the plan's; empty: there is none.
std::string plan_routes_file(const std::string& path, const Plan& plan);

/// Does something, and blames a plan for what does not fit: the key that asks for it in vain, if
/// that is known.
template <typename Work>
auto blaming(const PlanFile& file, const Work& work) {
  try {
    return work();
  } catch (const PlanFault& fault) {
    throw plan_error(file.text, file.source, fault);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(file.source, error));
  }
}

/// The hardware of a network with the dead tiles of a file `wafer`, unless that is empty, in place
/// of its own.
Hardware read_stage_hardware(const MachineChoice& machine, const std::string& wafer,
                             const CommonOptions& common);

/// The stages under the constraints of a file, unless that is empty, by their names, beside the
/// tiles that the plan binds them to.
Problem constrained_stages(const Problem& problem, const std::string& constraints,
                           const CommonOptions& common);

/// Where a placement file has the stages of a plan, in their order. Warns if the file says that
/// they were placed on hardware of another name.
std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings);

}  // namespace waferloom::cli
