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

/// Does something, and blames a file for what does not fit.
template <typename Work>
auto blaming(const std::string& source, const Work& work) {
  try {
    return work();
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, blamed(source, error));
  }
}

/// The file of --plan, and what it says, whatever its way.
struct AnyPlanFile {
  std::string source;  ///< for messages
  std::string text;
  AnyPlan plan;
  /// Where no --hardware is given: what it was made for, as far as that is a preset.
  std::string default_machine() const;
};
AnyPlanFile read_any_plan_file(const std::string& path, const CommonOptions& common);

/// The same of a plan that cuts a network.
struct PlanFile {
  std::string source;
  std::string text;
  std::string default_machine;  ///< as of an AnyPlanFile
  Plan plan;
};
PlanFile cut_plan_file(AnyPlanFile file);

/// Warns where the plan of a file says that it was made for another network or machine.
void warn_of_others(const std::string& source, const MadeFor& said, const Workload& workload,
                    const Hardware& hardware, Warnings& warnings);

/// The hardware of a plan of a whole wafer: a preset by its name, or what is asked for.
Hardware planned_hardware(const MachineChoice& machine, const std::string& name,
                          const CommonOptions& common);

/// Stages where a file of a placement has them, as far as they have one of their shapes there.
PartialPlacement stages_in_shapes(const Problem& problem, const StagePlacement& placed);

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

/// The hardware that was read, with the dead tiles of a file `wafer`, unless that is empty, in
/// place of its own.
Hardware with_wafer_of(Hardware hardware, const std::string& wafer, const CommonOptions& common);

/// Warns if a file says that its stages were placed on hardware of another name.
void warn_of_hardware(const StagePlacement& placed, const std::string& source,
                      const Hardware& hardware, Warnings& warnings);

/// The stages under the constraints of a file, unless that is empty, by their names, beside the
/// tiles that the plan binds them to.
Problem constrained_stages(const Problem& problem, const std::string& constraints,
                           const CommonOptions& common);

/// Where a placement file has stages of these names, and no others, in their order. Warns if the
/// file says that they were placed on hardware of another name.
std::vector<Rectangle> placed_tiles(const std::string& path, const std::vector<std::string>& names,
                                    const Hardware& hardware, const CommonOptions& common,
                                    Warnings& warnings);
/// The same of the stages of a plan that cuts a network.
std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings);

}  // namespace waferloom::cli
