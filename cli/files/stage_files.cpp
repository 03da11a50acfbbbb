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

std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings) {
  const std::string source = source_name(path);
  const StagePlacement placement = read_stage_placement(read_input(path, common), source);
  if (static_cast<std::int64_t>(placement.stages.size()) != plan.pipeline) {
    throw Failure(FailureKind::input, fmt::format("{}: expected {} stages, found {}", source,
                                                  plan.pipeline, placement.stages.size()));
  }
  warn_of_hardware(placement, source, hardware, warnings);
  std::map<std::string, Rectangle> by_name;
  for (const PlacedStage& stage : placement.stages) by_name.emplace(stage.name, stage.tiles);
  std::vector<Rectangle> tiles;
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    const std::string name = fmt::format("s{}", i);
    const auto at = by_name.find(name);
    if (at == by_name.end()) {
      throw Failure(FailureKind::input, fmt::format("{}: there is no stage {}", source, name));
    }
    tiles.push_back(at->second);
  }
  return tiles;
}

}  // namespace waferloom::cli
