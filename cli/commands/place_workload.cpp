#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "cli/jobs/place_job.h"
#include "cli/options/simulation_options.h"
#include "cli/options/workload_operand.h"
#include "model/constraints_reader.h"
#include "model/input_error.h"
#include "model/plan.h"
#include "model/stage_placement.h"
#include "model/wafer_reader.h"
#include "sim/plan_problem.h"

namespace waferloom::cli {
namespace {

std::string placed_text(const Problem& problem, const Placement& placement) {
  std::vector<PlacedStage> stages;
  const std::vector<Rectangle> tiles = rectangles(problem, placement);
  for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
    stages.push_back({problem.kernels()[i].name, tiles[i], placement.kernels[i].rotated});
  }
  return stage_placement_text(stages);
}

/// The hardware with the dead tiles of --wafer in place of its own.
Hardware read_machine(const Arguments& arguments) {
  Hardware hardware = read_network_hardware_option(arguments);
  if (!arguments.has("wafer")) return hardware;
  const std::string source = source_name(arguments.text("wafer"));
  const WaferFile file =
      read_wafer(read_input(arguments.text("wafer"), arguments.common()), source);
  if (file.wafer.width != hardware.wafer.width || file.wafer.height != hardware.wafer.height) {
    throw InputError(
        source, "expected a wafer of " + std::to_string(hardware.wafer.width) + " x " +
                    std::to_string(hardware.wafer.height) + " tiles, as the hardware has, found " +
                    std::to_string(file.wafer.width) + " x " + std::to_string(file.wafer.height));
  }
  hardware.wafer = file.wafer;
  return hardware;
}

/// The stages under --constraints, by their names, beside the tiles that the plan binds them to.
Problem constrained(const Problem& problem, const Arguments& arguments) {
  if (!arguments.has("constraints")) return problem;
  const std::string source = source_name(arguments.text("constraints"));
  Constraints all = read_constraints(read_input(arguments.text("constraints"), arguments.common()),
                                     source, problem);
  for (const FixedKernel& bound : problem.constraints().fixed) {
    const bool twice = std::any_of(all.fixed.begin(), all.fixed.end(), [&](const FixedKernel& one) {
      return one.kernel == bound.kernel;
    });
    if (twice) {
      throw InputError(source, "expected stages that the plan binds to no tiles, found " +
                                   problem.kernels()[bound.kernel].name + " among the fixed");
    }
    all.fixed.push_back(bound);
  }
  return with_constraints(problem, std::move(all), source);
}

/// Stages where a placement file has them, as far as they have one of their shapes there.
PartialPlacement placed_start(const Problem& problem, const std::string& path,
                              const CommonOptions& common) {
  PartialPlacement start;
  start.kernels.resize(problem.kernel_count());
  bool any = false;
  for (const PlacedStage& stage :
       read_stage_placement(read_input(path, common), source_name(path))) {
    for (KernelIndex i = 0; i < problem.kernel_count(); ++i) {
      if (problem.kernels()[i].name != stage.name) continue;
      const auto& options = shape_options(problem.kernel(i));
      for (std::size_t at = 0; at < options.size(); ++at) {
        const Extent shape{options[at].width, options[at].height};
        const bool upright = shape == Extent{stage.tiles.width, stage.tiles.height};
        const bool turned = shape == Extent{stage.tiles.height, stage.tiles.width};
        if (!upright && !turned) continue;
        start.kernels[i] = PlacedKernel{option_execution(static_cast<std::int64_t>(at) + 1),
                                        stage.tiles.x, stage.tiles.y, !upright};
        any = true;
        break;
      }
    }
  }
  if (!any) {
    throw InputError(source_name(path),
                     "expected stages of this plan in one of their shapes, found none");
  }
  return start;
}

}  // namespace

int place_workload(const Arguments& arguments, const std::string& strategy,
                   const PlaceOutputs& outputs) {
  const CommonOptions& common = arguments.common();
  const Workload workload = read_workload_operand(arguments, "CASE");
  const std::string& path = arguments.text("plan");
  const Plan plan = read_plan(read_input(path, common), source_name(path));
  const Hardware hardware = read_machine(arguments);
  const Warnings warnings(common);
  const sim::Streams streams =
      arguments.has("no-dram") ? sim::Streams::ignored : sim::Streams::simulated;
  std::optional<Problem> problem;
  try {
    problem.emplace(sim::plan_problem(workload, plan, hardware, streams));
  } catch (const std::invalid_argument& error) {
    throw Failure(FailureKind::input, source_name(path) + ": " + error.what());
  }
  const Problem wanted = constrained(*problem, arguments);
  std::optional<PartialPlacement> start;
  if (arguments.has("start")) start = placed_start(wanted, arguments.text("start"), common);
  const PlaceJob job{wanted,     arguments.text("CASE"), strategy, outputs, warnings, start,
                     placed_text};
  return run_place_job(job, common);
}

}  // namespace waferloom::cli
