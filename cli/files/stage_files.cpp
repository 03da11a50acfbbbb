#include "cli/files/stage_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "cli/files/hardware_file.h"
#include "cli/files/input_file.h"
#include "cli/options/simulation_options.h"
#include "model/errors.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom::cli {

PlanText read_plan_text(const Arguments& arguments) {
  const std::string& path = arguments.text("plan");
  return {source_name(path), read_input(path, arguments.common())};
}

PlanFile parse_plan(const PlanText& text) {
  return {text.source, text.text, read_plan(text.text, text.source)};
}

PlanFile read_plan_file(const Arguments& arguments) {
  return parse_plan(read_plan_text(arguments));
}

Routing plan_routing(const Arguments& arguments, const Plan& plan, const Hardware& hardware) {
  const bool has_routes = arguments.takes("routes") && arguments.has("routes");
  const auto asked = parse_routing(arguments);
  if (has_routes) refuse_rule_beside_routes(asked.value_or(Routing::planned));
  const Routing routing = has_routes ? Routing::planned : asked.value_or(plan.routing);
  if (routing != Routing::planned || hardware.topology == Topology::mesh) return routing;
  if (!has_routes && !asked) return Routing::xy;
  throw Failure(FailureKind::usage,
                "--routing: planned routes are for meshes, not switched hardware");
}

std::string plan_routes_file(const Arguments& arguments, const PlanFile& file) {
  if (arguments.has("routes")) return arguments.text("routes");
  if (file.plan.routes.empty() || arguments.has("routing")) return {};
  const std::filesystem::path beside = std::filesystem::path(arguments.text("plan")).parent_path();
  return (beside / file.plan.routes).string();
}

Hardware read_stage_hardware(const Arguments& arguments) {
  Hardware hardware = read_network_hardware_option(arguments);
  if (!arguments.has("wafer")) return hardware;
  const std::string source = source_name(arguments.text("wafer"));
  const WaferFile file =
      read_wafer(read_input(arguments.text("wafer"), arguments.common()), source);
  if (file.wafer.width != hardware.wafer.width || file.wafer.height != hardware.wafer.height) {
    throw InputError(source, kWholeSource,
                     "expected a wafer of " + std::to_string(hardware.wafer.width) + " x " +
                         std::to_string(hardware.wafer.height) +
                         " tiles, as the hardware has, found " + std::to_string(file.wafer.width) +
                         " x " + std::to_string(file.wafer.height));
  }
  hardware.wafer = file.wafer;
  return hardware;
}

Problem constrained_stages(const Problem& problem, const Arguments& arguments) {
  if (!arguments.has("constraints")) return problem;
  const std::string source = source_name(arguments.text("constraints"));
  Constraints all = read_constraints(read_input(arguments.text("constraints"), arguments.common()),
                                     source, problem);
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

std::vector<Rectangle> read_stage_tiles(const Arguments& arguments, const std::string& path,
                                        const Plan& plan, const Hardware& hardware,
                                        Warnings& warnings) {
  const std::string source = source_name(path);
  const StagePlacement placement =
      read_stage_placement(read_input(path, arguments.common()), source);
  const std::vector<PlacedStage>& stages = placement.stages;
  if (stages.size() != static_cast<std::size_t>(plan.pipeline)) {
    throw Failure(FailureKind::input, source + ": expected " + std::to_string(plan.pipeline) +
                                          " stages, found " + std::to_string(stages.size()));
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
    const auto at = by_name.find("s" + std::to_string(i));
    if (at == by_name.end()) {
      throw Failure(FailureKind::input, source + ": there is no stage s" + std::to_string(i));
    }
    tiles.push_back(at->second);
  }
  return tiles;
}

}  // namespace waferloom::cli
