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

PlanText read_plan_text(const std::string& path, const CommonOptions& common) {
  return {source_name(path), read_input(path, common)};
}

PlanFile parse_plan(const PlanText& text) {
  return {text.source, text.text, read_plan(text.text, text.source)};
}

PlanFile read_plan_file(const std::string& path, const CommonOptions& common) {
  return parse_plan(read_plan_text(path, common));
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

Hardware read_stage_hardware(const MachineChoice& machine, const std::string& wafer,
                             const CommonOptions& common) {
  Hardware hardware = read_fabric(machine, sim::kNetworkHardware, common);
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

std::vector<Rectangle> read_stage_tiles(const std::string& path, const Plan& plan,
                                        const Hardware& hardware, const CommonOptions& common,
                                        Warnings& warnings) {
  const std::string source = source_name(path);
  const StagePlacement placement = read_stage_placement(read_input(path, common), source);
  const std::vector<PlacedStage>& stages = placement.stages;
  if (stages.size() != static_cast<std::size_t>(plan.pipeline)) {
    throw Failure(FailureKind::input, fmt::format("{}: expected {} stages, found {}", source,
                                                  plan.pipeline, stages.size()));
  }
  if (!placement.hardware.empty() && placement.hardware != hardware.name) {
    warnings.add(source + ": placed on the hardware " + in_quotes(placement.hardware) +
                 ", not on " + in_quotes(hardware.name) +
                 ", which is taken; --hardware says which");
  }
  std::map<std::string, Rectangle> by_name;
  for (const PlacedStage& stage : stages) by_name.emplace(stage.name, stage.tiles);
  std::vector<Rectangle> tiles;
  for (std::int64_t i = 0; i < plan.pipeline; ++i) {
    const auto at = by_name.find(fmt::format("s{}", i));
    if (at == by_name.end()) {
      throw Failure(FailureKind::input, fmt::format("{}: there is no stage s{}", source, i));
    }
    tiles.push_back(at->second);
  }
  return tiles;
}

}  // namespace waferloom::cli
