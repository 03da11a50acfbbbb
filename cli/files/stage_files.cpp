#include "cli/files/stage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/files/input_file.h"
#include "cli/files/machine_file.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom::cli {

AnyPlanFile read_any_plan_file(const std::string& path, const CommonOptions& common) {
  std::string source = source_name(path);
  std::string text = read_input(path, common);
  AnyPlan plan = read_any_plan(text, source);
  return {std::move(source), std::move(text), std::move(plan)};
}

void warn_of_others(const std::string& source, const MadeFor& said, const Workload& workload,
                    const Hardware& hardware, Warnings& warnings) {
  for (const std::string& other : made_for_others(said, workload, hardware)) {
    warnings.add(fmt::format("{}: {}", source, other));
  }
}

std::string AnyPlanFile::default_machine() const {
  const std::string name(hardware_of(plan));
  return machine_preset(name) ? name : std::string(sim::kNetworkHardware);
}

PlanFile cut_plan_file(AnyPlanFile file) {
  std::string machine = file.default_machine();
  return {std::move(file.source), std::move(file.text), std::move(machine),
          std::get<Plan>(std::move(file.plan))};
}

Hardware planned_hardware(const MachineChoice& machine, const std::string& name,
                          const CommonOptions& common) {
  if (!machine.name && !machine_preset(name)) {
    throw Failure(FailureKind::usage, "expected --hardware FILE: the plan is for " +
                                          in_quotes(name) + ", which is no preset");
  }
  return read_fabric(machine, name, common);
}

PartialPlacement stages_in_shapes(const Problem& problem, const StagePlacement& placed) {
  PartialPlacement found;
  found.kernels.resize(problem.kernel_count());
  for (const PlacedStage& stage : placed.stages) {
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      if (problem.kernels()[i].name != stage.name) continue;
      const auto& options = shape_options(problem.kernel(i));
      for (std::size_t at = 0; at < options.size(); ++at) {
        const Extent shape{options[at].width, options[at].height};
        const bool upright = shape == Extent{stage.tiles.width, stage.tiles.height};
        const bool turned = shape == Extent{stage.tiles.height, stage.tiles.width};
        if (!upright && !turned) continue;
        // A shape of either side's length may stand upright or be turned: as the file says.
        if (upright && stage.rotated && !turned) continue;
        found.kernels[i] = PlacedKernel{option_execution(static_cast<std::int64_t>(at) + 1),
                                        stage.tiles.x, stage.tiles.y, !upright};
        if (upright != stage.rotated) break;
      }
    }
  }
  return found;
}

Routing plan_routing(const sim::RunRequest& request, const Plan& plan, const Hardware& hardware,
                     bool has_routes) {
  const std::optional<Routing>& rule = request.routing;
  if (has_routes) refuse_rule_beside_routes(rule.value_or(Routing::planned));
  const Routing routing = has_routes ? Routing::planned : rule.value_or(plan.routing);
  if (routing != Routing::planned || hardware.topology == Topology::mesh) return routing;
  if (!has_routes && !rule) return Routing::xy;
  throw Failure(FailureKind::usage,
                std::string("--routing: planned routes are for meshes, not ") +
                    (hardware.topology == Topology::torus ? "a torus" : "switched hardware"));
}

std::string plan_routes_file(const std::string& path, const Plan& plan) {
  if (plan.routes.empty()) return {};
  return (std::filesystem::path(path).parent_path() / plan.routes).string();
}

Hardware with_wafer_of(Hardware hardware, const std::string& wafer, const CommonOptions& common) {
  if (wafer.empty()) return hardware;
  const std::string source = source_name(wafer);
  const WaferFile file = read_wafer(read_input(wafer, common), source);
  if (file.wafer.width != hardware.wafer.width || file.wafer.height != hardware.wafer.height) {
    throw InputError(
        source, kWholeSource,
        fmt::format("expected a wafer of {} x {} tiles, as the hardware has, found {} x {}",
                    hardware.wafer.width, hardware.wafer.height, file.wafer.width,
                    file.wafer.height));
  }
  hardware.wafer = file.wafer;
  return hardware;
}

Problem constrained_stages(const Problem& problem, const std::string& constraints,
                           const CommonOptions& common) {
  if (constraints.empty()) return problem;
  const std::string source = source_name(constraints);
  Constraints all = read_constraints(read_input(constraints, common), source, problem);
  for (const FixedKernel& bound : problem.constraints().fixed) {
    const bool twice = std::any_of(
        all.fixed.begin(), all.fixed.end(),
        [&](const FixedKernel& fixed_kernel) { return fixed_kernel.kernel == bound.kernel; });
    if (twice) {
      throw InputError(source, kWholeSource,
                       "expected stages that the plan binds to no tiles, found " +
                           problem.kernels()[bound.kernel].name + " among the fixed");
    }
    all.fixed.push_back(bound);
  }
  return with_constraints(problem, std::move(all), source);
}

void warn_of_hardware(const StagePlacement& placed, const std::string& source,
                      const Hardware& hardware, Warnings& warnings) {
  if (placed.hardware.empty() || placed.hardware == hardware.name) return;
  warnings.add(source + ": placed on the hardware " + in_quotes(placed.hardware) + ", not on " +
               in_quotes(hardware.name) + ", which is taken; --hardware says which");
}

std::vector<Rectangle> placed_tiles(const std::string& path, const std::vector<std::string>& names,
                                    const Hardware& hardware, const CommonOptions& common,
                                    Warnings& warnings) {
  const std::string source = source_name(path);
  const StagePlacement placement = read_stage_placement(read_input(path, common), source);
  const std::vector<PlacedStage>& stages = placement.stages;
  if (stages.size() != names.size()) {
    throw Failure(FailureKind::input, fmt::format("{}: expected {} stages, found {}", source,
                                                  names.size(), stages.size()));
  }
  warn_of_hardware(placement, source, hardware, warnings);
  std::map<std::string, Rectangle> by_name;
  for (const PlacedStage& stage : stages) by_name.emplace(stage.name, stage.tiles);
  std::vector<Rectangle> tiles;
  for (const std::string& name : names) {
    const auto at = by_name.find(name);
    if (at == by_name.end()) {
      throw Failure(FailureKind::input, fmt::format("{}: there is no stage {}", source, name));
    }
    tiles.push_back(at->second);
  }
  return tiles;
}

std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < plan.pipeline; ++i) names.push_back(fmt::format("s{}", i));
  return placed_tiles(path, names, hardware, common, warnings);
}

}  // namespace waferloom::cli
